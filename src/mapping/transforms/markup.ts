import MarkdownIt from 'markdown-it'
import { onText, type Transform } from './transform.ts'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string) => text.replaceAll(/[&<>"']/g, sign => entities[sign] ?? sign)

/** Plain text as markup: every sign that means something there is escaped, paragraphs and line breaks are kept. */
export const htmlTransform: Transform = onText(text =>
  text
    .replaceAll(/\r\n?/g, '\n')
    .split(/\n(?:[ \t]*\n)+/)
    .map(paragraph => paragraph.split('\n').map(line => escaped(line.trimEnd())))
    .map(lines => `<p>${lines.join('<br>')}</p>`)
    .join(''),
)

const markdown = new MarkdownIt({ html: false })

/** Markdown as markup; raw HTML in it stays text. */
export const markdownTransform: Transform = onText(text => markdown.render(text).trim())
