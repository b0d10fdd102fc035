import { styleText } from 'node:util'
import { visible } from './text.ts'

export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string

export const plain: Paint = (_, text) => visible(text)

/** Paints with colours, if the stream has them. */
export const paintFor = (hasColors: boolean): Paint =>
  hasColors ? (style, text) => styleText(style, visible(text), { validateStream: false }) : plain
