import { trueName } from '../../journal/true-name.ts'
import { placeOf } from '../file-conflicts.ts'

/** What all names of one result log have in common, through whatever links, whether it is there yet or not. */
export const placeOfLog = async (path: string): Promise<string> => placeOf(await trueName(path))
