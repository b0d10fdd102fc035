import { escapeHtml } from '../../model/values.ts'
import { markdownIt } from '../libraries.ts'
import { onText, type Transform } from './transform.ts'

/** Plain text as markup: every sign that means something there is escaped, paragraphs and line breaks are kept. */
export const htmlTransform: Transform = onText(text =>
  text
    .replaceAll(/\r\n?/g, '\n')
    .split(/\n(?:[ \t]*\n)+/)
    .map(paragraph => paragraph.split('\n').map(line => escapeHtml(line.trimEnd())))
    .map(lines => `<p>${lines.join('<br>')}</p>`)
    .join(''),
)

let markdown: InstanceType<ReturnType<typeof markdownIt>> | undefined

/** Markdown as markup; raw HTML in it stays text. */
export const markdownTransform: Transform = onText(text => {
  markdown ??= new (markdownIt())({ html: false })
  return markdown.render(text).trim()
})
