import { expect, it } from 'vitest'
import { cases } from '../support/long.ts'
import { folderWith, start } from '../support/rowlift.ts'

const texts = [
  ['whose columns are unknown', 'A,B\n1,2\n'],
  ['in the wrong encoding', `Nr,Titel\n1,${'Übung '.repeat(101)}\n`],
  ['with another delimiter', 'Nr;Titel\n1;Eins\n'],
  ['that holds no rows', '%PDF-1.7\n'],
] as const

it.each(cases(texts, 2))('a run does not wait for the end of a pipe %s', async (_, text) => {
  const mapping = 'record: task\nkey: Nr\nsource: { encoding: cp850 }\nbody: { name: "{{Titel}}" }\n'
  const cwd = await folderWith({ 'm.yaml': mapping })
  const { process, ended } = start(['import', '-', '-m', 'm.yaml', '--dry-run'], { cwd })
  process.stdin?.write(text)
  expect(await ended).toMatchObject({ exitCode: 2, stdout: '' })
})
