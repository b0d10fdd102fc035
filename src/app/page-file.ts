import { constants } from 'node:fs'
import { access, type FileHandle, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ownerOnly } from '../journal/named-file.ts'
import { trueName } from '../journal/true-name.ts'
import { cannotWrite, reasonOf, UsageError } from '../model/errors.ts'
import type { PageFacts } from '../report/page/facts.ts'
import { replaceFile } from './atomic-write.ts'

/** What each page begins with, so that no file but a page is ever written over; browsers pass over it. */
const mark = '<!-- rowlift report -->\n'

/** The page as it is written. */
export async function pageText(facts: PageFacts): Promise<string> {
  const { createPage } = await import('../report/page/page.ts') // it brings much along that few runs need
  return mark + createPage(facts)
}

/** Checks that a page can be written: into a folder that is there, and over nothing but a page. Throws a UsageError. */
export async function checkPageFile(named: string): Promise<void> {
  const path = await trueName(named)
  await access(`${dirname(path)}/`, constants.W_OK | constants.X_OK).catch(error => {
    throw new UsageError('cannot_write_page', { path: named, reason: reasonOf(error) })
  })
  const found = await stat(path).catch(error => {
    if (error.code !== 'ENOENT')
      throw new UsageError('cannot_write_page', { path: named, reason: reasonOf(error) })
  })
  if (found === undefined) return
  if (!found.isFile()) throw new UsageError('page_is_no_file', { path: named })
  if (found.size > 0 && (await beginningOf(path)) !== mark)
    throw new UsageError('not_a_page', { path: named })
}

async function beginningOf(path: string): Promise<string | undefined> {
  let file: FileHandle | undefined
  try {
    file = await open(path, 'r')
    const { buffer, bytesRead } = await file.read(Buffer.alloc(mark.length), 0, mark.length, 0)
    return buffer.toString('latin1', 0, bytesRead)
  } catch {
    return undefined // what cannot be read is nobody's to write over
  } finally {
    await file?.close()
  }
}

/**
 * Writes a page for its owner alone, for it holds personal data; nobody ever sees half of it. Throws a UsageError or a
 * LogError.
 */
export async function writePage(named: string, facts: PageFacts): Promise<void> {
  await checkPageFile(named)
  const text = await pageText(facts)
  try {
    replaceFile(await trueName(named), ownerOnly, text)
  } catch (error) {
    throw cannotWrite(named, error)
  }
}
