import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createPage } from '../../../../src/output/page/page.ts'
import type { LogPart, PageFacts } from '../../../../src/result/facts.ts'
import { withHostileTexts } from '../../../support/hostile-text.ts'
import { bigLog, dryRun, noRows, pageFacts, richLog, smallLog } from '../../../support/page-facts.ts'

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }
/** What a reader reads. */
const textOf = (page: string) =>
  page
    .replaceAll(/<(script|style|template)\b.*?<\/\1>/gs, '')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&([\w#]+);/g, (_, name) => entities[name] ?? '?')
    .replaceAll(/\s+/g, ' ')
const pageText = (...parts: PageFacts['parts']) => textOf(createPage(pageFacts(...parts)))
/** The tags of a page, without the content of its scripts. */
const tags = (page: string) =>
  page.replaceAll(/<(script|style)\b.*?<\/\1>/gs, '').match(/<[a-z](?:"[^"]*"|[^>"])*>/g) ?? []
const headings = (page: string) =>
  [...page.replaceAll(/<script.*?<\/script>/gs, '').matchAll(/<h([1-6])[^>]*>(.*?)<\/h\1>/gs)].map(
    ([, level, text = '']) => ({ level: Number(level), text: textOf(text) }),
  )
const sections = (part: LogPart) =>
  headings(createPage(pageFacts(part)))
    .filter(({ level }) => level === 2)
    .map(({ text }) => text)

describe('the page of a log', () => {
  it('the page of a log says what was imported where, how far it is, why it stopped and what to type next', () => {
    const text = pageText(richLog())
    expect(text).toContain('contacts.results.ndjson 1,180 rows have their record, 24 need attention.')
    expect(text).toContain('The last run stopped early: the service asks to wait 40 min')
    expect(text).toMatch(/Next Fix the cause, .* where this run ended: rowlift import contacts-2026-11\.csv/)
    for (const word of [
      'https://api.example.com, organization 42',
      'config/contacts.yaml',
      'contacts (use_created)',
      '21 Nov 2026, 08:12:07',
    ])
      expect(text).toContain(word)
  })

  it('the page of a log has each command that may come next on its own', () => {
    const next = ['a.csv', 'b.csv'].map(source => ({ advice: `Import ${source}`, args: ['import', source] }))
    const page = createPage({ ...pageFacts(richLog()), next })
    expect(textOf(page)).toContain('Import a.csv: rowlift import a.csv Import b.csv: rowlift import b.csv')
    expect(
      page.match(/<div class="next">.*?<\/div><\/div>/s)?.[0].match(/<code class="command">/g),
    ).toHaveLength(2)
  })

  it('the page of a log counts the rows by their end, those that only a run knows among them', () => {
    const text = pageText(richLog())
    for (const figure of [
      'created 262 1,043 ',
      'existing 38 137 the service had',
      'in doubt 3 3 sent, but',
      'failed 7 7 ',
      'invalid 14 14 ',
      'duplicate 9 9 ',
      'left alone 880 have their record from an earlier run',
      'of these changed 4 ',
      'left out 31 by where',
      'all rows 1,244 that were read',
    ])
      expect(text.replaceAll(' ', '')).toContain(figure.replaceAll(' ', ''))
    expect(text).toContain('12 rows had been refused or in doubt, and have their record now.')
    expect(text).toContain('2 rows were settled by hand.')
  })

  it('the page of a log has a section only where there is something to say', () => {
    expect(sections(richLog())).toEqual([
      '3 rows in doubt',
      'Why rows have no record',
      '3 rows merged into the record of another',
      'Values that did not arrive as mapped',
      'What became of the rows',
      'All rows without a record',
      'The runs so far',
      'This import',
    ])
    expect(sections(smallLog())).toEqual(['What became of the rows', 'The runs so far', 'This import'])
    expect(sections(smallLog({ runs: [] }))).toEqual(['What became of the rows', 'This import'])
  })

  it('the page of a log counts the known rows of runs where any run has some', () => {
    const [run] = smallLog().runs
    expect(pageText(smallLog())).not.toContain('createdknown')
    expect(pageText(smallLog({ runs: run ? [{ ...run, known: 1_234 }] : [] }))).toMatch(
      /createdknownNotes.*201,234contacts/,
    )
  })

  it('the page of a log asks for no action when all rows are done', () => {
    const text = textOf(createPage({ ...pageFacts(smallLog()), next: [] }))
    expect(text).toContain('All 20 rows have their record.')
    expect(text).toContain('There is nothing left to do.')
    expect(text).not.toMatch(/stopped early|rows in doubt/)
  })

  it('the page of a log does not say that all rows are there while the run has not come to its end', () => {
    const { lastRun } = richLog()
    const stopped = smallLog({ lastRun: lastRun && { ...lastRun, stopped: 'the token was refused' } })
    expect(pageText(stopped)).toContain('tasks.results.ndjson 20 rows have their record.')
    expect(pageText(smallLog({ counts: { ...noRows, created: 1, failed: 0 } }))).toContain(
      '1 row has its record.',
    )
    expect(pageText(smallLog({ counts: { ...noRows, created: 0, failed: 1 } }))).toContain(
      'No row has its record, 1 needs attention.',
    )
    expect(pageText(smallLog({ counts: { ...noRows, created: 1, forgotten: 2 } }))).toContain(
      '1 row has its record, 2 need attention.',
    )
    expect(pageText(smallLog({ counts: { ...noRows, created: 0, failed: 0 } }))).toContain(
      'No row has been processed yet.',
    )
  })

  it('the page of a log shows the commands that settle a row in doubt, as a shell reads them', () => {
    const [doubt] = richLog().attention.rows
    if (doubt === undefined) throw new Error('there is a row in doubt')
    const withKey = (key: string) =>
      pageText(
        richLog({ log: 'my log.ndjson', attention: { total: 1, known: 0, rows: [{ ...doubt, key }] } }),
      )
    expect(withKey("o'hara 7")).toContain(
      `rowlift resolve 'my log.ndjson' --key 'o'\\''hara 7' --record-id ID`,
    )
    expect(withKey('-7')).toContain(`rowlift resolve 'my log.ndjson' --key=-7 --record-id ID`)
    expect(withKey('a\nb\u202e')).toContain(`--key $'a\\012b\\u202e' --record-id ID`)
    expect(withKey('x')).toContain('2 more rows are in doubt. This lists all of them')
    expect(withKey('x')).toContain(`rowlift resolve 'my log.ndjson' --all --not-created`)
  })

  it('the page of a log lists rows in doubt by what a person can look for, a hundred of them, and counts the others', () => {
    const page = createPage(pageFacts(bigLog()))
    expect(textOf(page)).toContain('Ada 1 Lovelaceperson1@example.com+442079460991')
    expect(page.match(/<code class="command">.*?--record-id/g)).toHaveLength(100)
    const { counts } = bigLog()
    const many = bigLog()
    const more = textOf(createPage(pageFacts({ ...many, counts: { ...counts, in_doubt: 4_100 } })))
    expect(more).toContain('4,000 more rows are in doubt. This lists all of them: rowlift resolve')
  })

  it('the page of a log says that a row in doubt is sent again where the service recognizes it', () => {
    const again = 'You may also just run the import again'
    expect(pageText(richLog())).not.toContain(again)
    const { opening } = richLog()
    expect(pageText(richLog({ opening: { ...opening, delivery: 'at-least-once' } }))).toContain(again)
  })

  it('the page of a log tells each reason with its rows, the answer, what to do, and examples', () => {
    expect(pageText(richLog({ otherReasons: 5 }))).toMatch(
      /7 rows failed the service answered 422 http_error Answer \{"error":"parent … does not exist","code":"parent_not_found"\} Import the organizations first.*contacts-2026-11\.csv:205 row 204, key person204@example\.com .*5 rows more have other reasons/,
    )
  })

  it('the page of a log lists the rows with their place, key, value, messages and answer', () => {
    const text = pageText(richLog())
    expect(text).toContain(
      'contacts-2026-11.csv:32 row 31, key person31@example.cominvalidEmail is not an e-mail addressEmail person31@example,com21 Nov 2026, 08:12:10',
    )
    expect(text).toContain('answer {"error":"parent 204f0c-41 does not exist","code":"parent_not_found"}')
  })

  it('the page of a log says so when it holds some of the rows only', () => {
    expect(pageText(bigLog())).toContain(
      'The first 5,000 of 12,000 rows are here; the result log has all of them.',
    )
    expect(pageText(richLog())).not.toContain('are here; the result log')
  })

  it('the page of a log says first what is not as expected, and how many refused rows are known', () => {
    const text = pageText(richLog())
    const at = (words: string) => text.indexOf(words)
    expect(at('Not as expected: 2 rows were merged')).toBeGreaterThan(at('24 need attention'))
    expect(at('Not as expected')).toBeLessThan(at('Next'))
    expect(text).toContain('9 rows are known: an earlier run refused them')
    expect(text).toContain('14 rows invalid9 known')
  })

  it('the page of a log lists merged rows in pairs by their keys, what that means, and counts the others', () => {
    expect(pageText(richLog())).toMatch(
      /so their own values are nowhere in the service.* a\.lovelace0@example\.com.* row 412ada0@example\.com.* row 88.* And 1 more pair; /,
    )
  })

  it('the page of a log counts merged rows apart; whether they are wrong is for the run to say', () => {
    const { counts, lastRun } = smallLog({ lastRun: richLog().lastRun })
    const merged = { counts: { ...counts, merged: 2 }, merged: richLog().merged }
    const run = lastRun && {
      ...lastRun,
      left_out: 0,
      stopped: undefined,
      unmet: [],
    }
    const withRun = (messages: readonly string[]) => {
      const unmet = messages.map(message => ({ code: 'too_many_merged', params: {}, message }))
      return createPage({
        ...pageFacts(smallLog({ ...merged, lastRun: run && { ...run, unmet } })),
        next: [],
      })
    }
    for (const page of [
      withRun([]),
      withRun(['2 rows were merged']),
      createPage(pageFacts(smallLog(merged))),
    ])
      expect(textOf(page)).toContain('20 rows have their record, 2 were merged.')
    expect(textOf(withRun([]))).toContain('There is nothing left to do.')
    expect(textOf(withRun(['2 rows were merged']))).not.toContain('Next')
    expect(createPage(pageFacts(smallLog(merged)))).toContain('class="verdict attention"')
  })

  it('the page of a log names values that were left out, fields that answers lack, and lookups that found nothing', () => {
    const { lastRun } = richLog()
    const columns = {
      ...{ unseen: [], unused: [], missingKey: [] },
      fallbacks: [{ column: 'Assignee', values: 151, omitted: 30, kept: 2 }],
      lookups: [
        { name: 'users', values: 151, hits: 0, table: 'users.csv', missed: 'zoe', key: 'Zoë Ångström' },
        { name: 'firms', values: 9, hits: 1 },
      ],
    }
    const place = { source: 'contacts-2026-11.csv', row: 6, line: 7, key: '6', value: 'Max' }
    const kept = [{ column: 'Assignee', count: 2, examples: [place] }]
    const text = pageText(
      richLog({ lastRun: lastRun && { ...lastRun, details: { ...lastRun.details, columns } }, kept }),
    )
    expect(text).toMatch(/with keep sends.*Assignee22 of 151Max contacts-2026-11\.csv:7/)
    expect(text).toMatch(
      /The lookup users found none of 151 values in users\.csv: "zoe" was looked for, and "Zoë Ångström" is there/,
    )
    expect(text).not.toContain('The lookup firms')
    expect(text).toMatch(/Assignee3030 of 151Zoë \(left\) contacts-2026-11\.csv:6/)
    expect(text).toMatch(
      /the answer of the service does not have them.*custom_field_values\.#\.date_value112/,
    )
  })

  it('the page of a log tells of the runs, and where the mapping was changed', () => {
    const text = pageText(richLog())
    expect(text).toContain('2 earlier runs are not shown.')
    expect(text).toMatch(/19 Nov 2026, 08:12:07 ?2 min 11 s.*mapping changed/)
    expect(text).toContain('by hand')
    expect(text).not.toMatch(/by hand\W+rowlift/)
  })
})

describe('the page of a dry run', () => {
  it('the page of a dry run speaks of what would be', () => {
    const text = pageText(dryRun())
    expect(text).toContain('Dry run: nothing was sent')
    expect(text).toContain('1,180 rows would be sent, 24 rows are invalid, 31 are left out by where.')
    expect(text).not.toMatch(/rowlift resolve|created/)
  })

  it('the page of a dry run shows cells beside fields, what is wrong, and columns that go nowhere', () => {
    const text = pageText(dryRun())
    expect(text).toMatch(
      /First NameLast NameAdaLovelace 0nameAda Lovelace 0 .*Job TitleAnalystdesignationAnalyst/,
    )
    expect(text).toMatch(/the mappingrecord_sub_typeperson .*Websiteemptyno field/)
    expect(text).toMatch(
      /A row with two reasons counts in both\. 14 rows invalid9 known Email is not .* 3 rows invalid has 9 cells/,
    )
    expect(text).toMatch(
      /E-mail98%1,190info@example.com 4aaa.aaa@aaa.aaa 1,10024 .*:7 ada.lovelace@example.comkey, emails.email/,
    )
    expect(text).toMatch(/Fax0%12<a> 123 contacts-2026-12.csv:9 <b>no field/)
    expect(text).toMatch(/does not use these columns.*Fax.*Notes \(old\)/)
    expect(text).toMatch(/no row has them.*nickname/)
  })

  it('the page of a dry run begins with what is wrong, then three rows; all else is folded', () => {
    const page = createPage(pageFacts(dryRun()))
    const shown = headings(page.replaceAll(/<details>.*?<\/details>/gs, '')).map(({ text }) => text)
    expect(shown.slice(1)).toEqual([
      'What is wrong',
      'Values that did not arrive as mapped',
      'From row to record',
      'What would become of the rows',
      'All invalid rows',
      'Columns',
      'This dry run',
    ])
    expect(page.match(/<section [^>]*>\s*<h2>[^<]*<\/h2>\s*<details>/g)).toHaveLength(4)
    expect(page.split('<details>')[0]?.match(/<article class="sample">/g)).toHaveLength(3)
    expect(textOf(page)).toContain('2 more rows')
  })
})

describe('the page of several parts', () => {
  const page = createPage(pageFacts(smallLog({ name: 'organizations' }), richLog(), smallLog()))

  it('the page of several parts begins with a line for each, which leads to it', () => {
    expect(textOf(page)).toContain('2 of 3 steps are done. 1,220 rows have their record, 24 need attention.')
    const ids = tags(page).flatMap(tag => / id="([^"]*)"/.exec(tag)?.[1] ?? [])
    expect(new Set(ids).size).toBe(ids.length)
    for (const [, target] of page.matchAll(/href="#([^"]*)"/g)) expect(ids).toContain(target)
    expect(textOf(page)).toMatch(/organizations ?200done/)
    expect(textOf(page)).toContain('people1,18024stopped early2 rows were merged into the record of another')
  })

  it('the page of several parts says once what to do next, above all steps, and names the steps that did not begin', () => {
    const facts = { ...pageFacts(dryRun(), dryRun()), notStarted: ['tasks'] }
    const text = textOf(createPage(facts))
    expect(text.match(/Next/g)).toHaveLength(1)
    expect(text.indexOf('Next')).toBeLessThan(text.indexOf('The steps'))
    expect(text).toContain('2 of 3 steps are checked. 2,360 rows would be sent, 48 rows are invalid.')
    expect(text).toContain('tasksnot begun')
    expect(text).not.toContain('No row would be sent')
    const first = textOf(createPage({ ...pageFacts(richLog()), notStarted: ['tasks', 'files'] }))
    expect(first).toContain('0 of 3 steps are done. 1,180 rows have their record, 24 need attention.')
    expect(first).toMatch(/people1,18024stopped early.*tasksnot begun filesnot begun/)
  })

  it('the page of several parts calls logs that are read together logs, each with what to do next', () => {
    const text = textOf(createPage({ ...pageFacts(richLog(), smallLog()), next: undefined }))
    expect(text).toContain('The logs')
    expect(text).not.toMatch(/\bsteps?\b/i)
    expect(text).toMatch(/Next Look for the rows in doubt.*Next There is nothing left to do/)
  })

  it('the page of several dry runs never says that something is done', () => {
    const { lastRun } = dryRun()
    const good = dryRun({ name: 'people', reasons: [], lastRun: { ...lastRun, invalid: 0 } })
    const text = textOf(createPage(pageFacts(dryRun({ name: 'organizations' }), good)))
    expect(text).toContain('All 2 steps are checked.')
    expect(text).toMatch(/organizations1,18024needs attention.*people1,1800nothing wrong/)
    expect(text).not.toMatch(/\bdone\b/)
  })

  it('the page of several parts has what needs a person under the sentence of a part, and all else in one box', () => {
    const [, organizations = '', people = ''] = page.split('<section class="part"')
    expect(organizations.match(/<details>/g)).toHaveLength(1)
    expect(textOf(organizations)).toMatch(
      /organizations All 20 rows have their record\. More: What became of the rows, The runs so far, This import/,
    )
    const [open = '', box = ''] = people.split('<details>')
    expect(headings(open).map(({ text }) => text)).toEqual([
      'people',
      '3 rows in doubt',
      'Why rows have no record',
      '3 rows merged into the record of another',
      'Values that did not arrive as mapped',
    ])
    expect(headings(box).map(({ text }) => text)).toEqual([
      'What became of the rows',
      'All rows without a record',
      'The runs so far',
      'This import',
    ])
  })

  it('the page of several parts has its headings one level deeper', () => {
    const found = headings(page)
    expect(found.filter(({ level }) => level === 2).map(({ text }) => text)).toEqual([
      'The steps',
      'organizations',
      'people',
      'tasks',
    ])
    expect(found).toContainEqual({ level: 3, text: 'Why rows have no record' })
  })
})

describe('every page', () => {
  const pages = {
    log: pageFacts(richLog()),
    small: pageFacts(smallLog()),
    'dry run': pageFacts(dryRun()),
    plan: pageFacts(smallLog(), richLog(), dryRun()),
    nothing: pageFacts(),
    hostile: withHostileTexts(pageFacts(richLog(), dryRun({}, withHostileTexts))),
  }

  it.each(Object.entries(pages))(
    'every page asks the network for nothing, and allows only its own scripts: %s',
    (_, facts) => {
      const page = createPage(facts)
      const [, policy = ''] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page) ?? []
      expect(policy).toMatch(/^default-src &#39;none&#39;/)
      expect(policy).not.toContain('unsafe')
      const inline = [...page.matchAll(/<(?:script|script type="module"|style)>(.*?)<\/(?:script|style)>/gs)]
      for (const [, code = ''] of inline)
        expect(policy).toContain(createHash('sha256').update(code).digest('base64'))
      expect(inline.length).toBeGreaterThanOrEqual(2)
      for (const tag of tags(page))
        for (const [, name = '', value = ''] of tag.matchAll(/ ([^\s="]+)="([^"]*)"/g)) {
          expect(name).not.toMatch(/^(?:on.*|style|src|action|srcset|poster|background)$/)
          if (name === 'href') expect(value).toMatch(/^(?:#|data:image\/svg)/)
        }
    },
  )

  it.each(Object.entries(pages))(
    'every page has its headings in order, and one of the first: %s',
    (_, facts) => {
      const levels = headings(createPage(facts)).map(({ level }) => level)
      expect(levels.filter(level => level === 1)).toHaveLength(1)
      levels.forEach((level, at) => {
        expect(level - (levels[at - 1] ?? 0)).toBeLessThanOrEqual(1)
      })
    },
  )

  it('every page says by what and when it was made, and that it holds personal data', () => {
    const text = pageText(smallLog())
    expect(text).toContain('Made by rowlift 0.1.0 on 21 Nov 2026, 08:32:07.')
    expect(text).toContain('This page holds personal data')
  })

  it('every page has one script, which imports nothing and cannot end its element', () => {
    const [, script = ''] = /<script type="module">(.*?)<\/script>/s.exec(createPage(pages.log)) ?? []
    expect(script).not.toMatch(/\b(?:import|export)\b|<\/script|<!--|sourceMapping|\r/i)
  })
})

describe('the colours', () => {
  const css = readFileSync(new URL('../../../../src/output/page/page.css', import.meta.url), 'utf8')
  const schemes: readonly string[] = css.match(/color-scheme: (?:light|dark);[^}]*/g) ?? []
  const brightness = (color: string) => {
    const [r = 0, g = 0, b = 0] = [1, 3, 5]
      .map(at => Number.parseInt(color.slice(at, at + 2), 16) / 255)
      .map(part => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const contrast = (a: string, b: string) => {
    const [low = 0, high = 0] = [brightness(a), brightness(b)].sort((x, y) => x - y)
    return (high + 0.05) / (low + 0.05)
  }

  it.each(schemes.map(scheme => [scheme.slice(0, 19), scheme]))(
    'the colours of the page can be read by all: %s',
    (_, scheme) => {
      const of = (name: string) => new RegExp(`--${name}: (#\\w{6})`).exec(scheme)?.[1] ?? ''
      for (const ink of ['ink', 'soft', 'accent'])
        for (const paper of ['paper', 'wash', 'accent-wash', 'warn-wash'])
          expect(contrast(of(ink), of(paper)), `${ink} on ${paper}`).toBeGreaterThanOrEqual(4.5)
      for (const mark of ['created', 'existing', 'invalid', 'failed', 'in-doubt', 'duplicate', 'valid'])
        expect(contrast(of(mark), of('paper')), mark).toBeGreaterThanOrEqual(3)
    },
  )
})
