import { expect, it } from 'vitest'
import { folderWith, start } from '../support/rowlift.ts'

it.each([
  ['whose columns are unknown', 'A,B\n1,2\n'],
  ['with another delimiter', 'Nr;Titel\n1;Eins\n'],
  ['in the wrong encoding', `Nr,Titel\n1,${'Übung '.repeat(101)}\n`],
  ['that holds no rows', '%PDF-1.7\n'],
])('a run does not wait for the end of a pipe %s', async (_, text) => {
  const mapping = 'record: task\nkey: Nr\nsource: { encoding: cp850 }\nbody: { name: "{{Titel}}" }\n'
  const cwd = await folderWith({ 'm.yaml': mapping })
  const { process, ended } = start(['import', '-', '-m', 'm.yaml', '--dry-run'], { cwd })
  process.stdin?.write(text)
  expect(await ended).toMatchObject({ exitCode: 2, stdout: '' })
})
