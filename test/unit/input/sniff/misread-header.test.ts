import iconv from 'iconv-lite'
import { describe, expect, it } from 'vitest'
import { checkReading } from '../../../../src/input/sniff/misread-header.ts'
import { check, fileWith, sourceProblem } from '../../../support/read-input.ts'

const wanted = ['Key', 'Prénom', 'Größe', 'Mail']
const lines = (delimiter: string) =>
  `${wanted.join(delimiter)}\n${['1', 'Zoë', '5', 'z@x.fr'].join(delimiter)}\n`
const count = (columns: readonly string[]) => wanted.filter(name => columns.includes(name)).length

interface Asked {
  readonly delimiter?: string
  readonly encoding?: string
}

/** What is said of a file with this content that is read as asked. */
async function misread(content: string | Buffer, asked: Asked = {}, trustEncoding = true) {
  const path = await fileWith('a.csv', content)
  const [source] = await check([path], { ...asked, trustEncoding })
  const problem = await sourceProblem(checkReading(path, source?.columns ?? [], asked, count))
  expect(problem).toMatchObject({ code: 'misread_header', params: { source: path, columns: wanted } })
  return problem.params
}

describe('header that was read wrongly', () => {
  it.each([';', '\t', '|'])(
    'a header that was read wrongly tells that the delimiter is another one: %j',
    async delimiter => {
      expect(await misread(lines(delimiter))).toMatchObject({ delimiter, encoding: undefined })
      const quoted = `"${lines(delimiter).replaceAll(delimiter, `"${delimiter}"`).replaceAll('\n', '"\n"')}`
      expect(await misread(quoted)).toMatchObject({ delimiter })
    },
  )

  it('a header that was read wrongly tells that the delimiter is a comma', async () => {
    expect(await misread(lines(','), { delimiter: ';' })).toMatchObject({ delimiter: ',' })
  })

  it.each([
    ['utf-8', 'windows-1252'],
    ['utf-8', 'cp850'],
    ['cp850', 'windows-1252'],
    ['macintosh', 'iso-8859-1'],
    ['windows-1252', 'macintosh'],
    ['utf-16le', 'windows-1252'],
    ['utf-16be', 'iso-8859-15'],
  ])('a header that was read wrongly tells that its encoding is %s, not %s', async (is, encoding) => {
    const bytes = iconv.encode(lines(','), is, { addBOM: false })
    expect(await misread(bytes, { encoding })).toMatchObject({ delimiter: undefined, encoding: is })
  })

  it('a header that was read wrongly tells both at once', async () => {
    const asked = { delimiter: ',', encoding: 'windows-1252' }
    expect(await misread(iconv.encode(lines(';'), 'cp850'), asked)).toMatchObject({
      delimiter: ';',
      encoding: 'cp850',
    })
  })

  it('a header that was read wrongly tells that its text was made UTF-8 twice', async () => {
    expect(await misread(iconv.decode(Buffer.from(lines(',')), 'windows-1252'))).toMatchObject({
      encoding: 'twice',
    })
  })
})

it('a header is left as it is unless another reading has more of the columns', async () => {
  for (const header of [
    wanted,
    [...wanted, 'a;b|c'],
    ['Key', 'Other; column'],
    ['a;b', 'c'],
    ['Größse'],
    [],
    [''],
  ])
    await expect(checkReading('a.csv', header, {}, count)).resolves.toBeUndefined()
})
