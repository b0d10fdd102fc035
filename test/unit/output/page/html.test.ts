import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Child, html, moment, quoted, table } from '../../../../src/output/page/html.ts'
import { invisible, visible } from '../../../../src/output/text.ts'
import { Markup } from '../../../../src/result/facts.ts'
import { anyText } from '../../../support/any-text.ts'
import { hostileTexts } from '../../../support/hostile-text.ts'

const hostileText = fc.oneof(
  anyText(),
  fc.string({ unit: fc.constantFrom(...`<>&"'\`/=!-\u2028\u2029\u202e\u0000\ud800 a\n`) }),
  fc.constantFrom(...hostileTexts),
)

const unescaped = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

describe('markup from a template', () => {
  it('markup from a template holds any text as text, in elements and in attributes', () => {
    fc.assert(
      fc.property(hostileText, text => {
        const [, inAttribute = '', inElement = ''] =
          /^<p title="([^"<>]*)">([^<>"']*)<\/p>$/su.exec(html`<p title="${text}">${text}</p>`.text) ?? []
        expect(inAttribute).toBe(inElement)
        expect(unescaped(inElement)).toBe(visible(text))
        expect(inElement).not.toMatch(/&(?!(?:lt|gt|quot|amp|#39);)/)
      }),
    )
  })

  it('markup from a template keeps markup, joins lists, and leaves out what is not there', () => {
    const items = ['a', '<b>'].map(item => html`<li>${item}</li>`)
    expect(html`<ul>${items}</ul>${undefined}${false}${0}${new Markup('<hr>')}`.text).toBe(
      '<ul><li>a</li><li>&lt;b&gt;</li></ul>0<hr>',
    )
  })

  it('markup from a template keeps texts that run from right to left to themselves', () => {
    expect(quoted('<שלום>').text).toBe('<bdi>&lt;שלום&gt;</bdi>')
  })
})

describe('a table', () => {
  it('a table leaves out the columns that are 0 or empty throughout', () => {
    const cells: readonly (readonly Child[])[] = [
      ['a', 0, '', 0, undefined, []],
      ['b', 0, 'x', 1, false, ''],
    ]
    const { text } = table('Letters', ['Letter', 'None', 'Note', 'Some', 'Gone', 'Empty'], cells)
    expect(text.match(/(?<=<th scope="col"[^>]*>)\w+/g)).toEqual(['Letter', 'Note', 'Some'])
    expect(text).toContain(
      '<th scope="row">a</th><td data-label="Note"></td><td class="number" data-label="Some">0</td></tr>',
    )
  })

  it('a table names the column at each of its cells, for screens on which a row is a block', () => {
    const { text } = table('Letters', ['Letter', '"Says" <b>'], [['a', html`<i>x</i>`]])
    expect(text).toContain('<td data-label="&quot;Says&quot; &lt;b&gt;"><i>x</i></td>')
  })
})

describe('what cannot be seen', () => {
  it('what cannot be seen is shown', () => {
    expect(visible('a\u202eb\u0000c\td\r\ne\u007f\u0085\ufeff')).toBe('a[U+202E]b␀c⇥d↵e␡[U+0085][U+FEFF]')
  })

  it('what cannot be seen never stays, whatever the text; and what can be seen stays as it is', () => {
    fc.assert(
      fc.property(hostileText, text => {
        expect(visible(text).search(invisible)).toBe(-1)
        expect(visible(visible(text))).toBe(visible(text))
      }),
    )
    expect(visible('Zoë 👩‍🔬 नमस्ते שלום')).toBe('Zoë 👩‍🔬 नमस्ते שלום')
  })
})

describe('a time', () => {
  it('a time is shown in UTC, and text that is no time as it is', () => {
    const at = '2026-11-21T08:12:07.123Z'
    expect(moment(at).text).toBe(`<time datetime="${at}">21 Nov 2026, 08:12:07</time>`)
    expect(moment('<b>').text).toBe('<time datetime="&lt;b&gt;">&lt;b&gt;</time>')
  })
})
