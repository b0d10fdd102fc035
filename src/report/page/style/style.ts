import { colors } from './colors.ts'
import { layout } from './layout.ts'
import { marks } from './marks.ts'
import { parts } from './parts.ts'
import { print } from './print.ts'
import { tables } from './tables.ts'
import { text } from './text.ts'

/** How the page looks: no font, no picture and no other file is asked for. */
export const style = [colors, text, layout, parts, tables, marks, print].join('')
