import { expect, it } from 'vitest'
import { comparablePath, isDevice } from '../../../src/platform/paths.ts'
import { startFailure } from '../../../src/platform/programs.ts'
import { windowsWord } from '../../../src/platform/shell-words.ts'

it.each(['NUL', 'con', 'C:\\data\\aux.csv', 'lpt1.tar.gz', 'a/COM9', 'prn .csv', 'nul:', 'CONOUT$'])(
  'the path %s leads to a device on Windows',
  path => {
    expect(isDevice(path, 'win32')).toBe(true)
    expect(isDevice(path, 'linux')).toBe(false)
  },
)

it.each(['contacts.csv', 'null', 'com.csv', 'com10.csv', 'nul\\people.csv', '\\\\server\\con-sole\\x', ''])(
  'the path %s leads to no device',
  path => {
    expect(isDevice(path, 'win32')).toBe(false)
  },
)

it('paths are compared without case on Windows alone', () => {
  expect(comparablePath('C:\\Data\\R.ndjson', 'win32')).toBe(comparablePath('c:\\data\\r.NDJSON', 'win32'))
  expect(comparablePath('/Data', 'linux')).toBe('/Data')
})

it.each([
  ['C:\\data\\people.csv', 'C:\\data\\people.csv'],
  ['\\\\server\\share\\r.ndjson', '\\\\server\\share\\r.ndjson'],
  ['my people.csv', '"my people.csv"'],
  ['C:\\my data\\', '"C:\\my data\\\\"'],
  ["it's", '"it\'s"'],
  ['a&b', '"a&b"'],
  ['say "so"', '"say ""so"""'],
  ['', '""'],
])('the word %s is written for cmd and PowerShell', (word, written) => {
  expect(windowsWord(word)).toBe(written)
})

it('a program that Windows does not start by itself is told of', () => {
  expect(startFailure('ENOENT', 'win32')).toBe('not_exe')
  expect(startFailure('EINVAL', 'win32')).toBe('not_exe')
  expect(startFailure(1, 'win32')).toBe(1)
  expect(startFailure('ENOENT', 'linux')).toBe('ENOENT')
})
