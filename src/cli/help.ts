import { fileURLToPath } from 'node:url'

/** Where the README stands on this machine. */
const readme = fileURLToPath(new URL('../../README.md', import.meta.url))

const more = `More: ${readme}`

/** What stands below the help of every command: the exit codes, the environment, and where to read on. */
export const epilogue = `Exit codes:
  0             every row has its record (dry run: no row is invalid)
  1             some rows are invalid, failed or in doubt; a test failed
  2             usage, settings, mapping or source could not be used;
                nothing was sent
  3             stopped early: token refused, no answers, too many failures, log
                or source broke; or page, summary or metrics were not written
  4             another run holds the result log
  70            a defect in rowlift
  129 130 143   ended by a closed terminal, Ctrl-C or SIGTERM
  141           nobody reads on what a dry run writes to standard output

Environment:
  ROWLIFT_TOKEN             the bearer token; there is no flag for it
  ROWLIFT_BASE_URL, …       any option of import, unless its flag is given
  HTTPS_PROXY, NO_PROXY     proxies, and what goes without
  NODE_EXTRA_CA_CERTS       a file of private authorities
  NO_COLOR                  no colours on a terminal

${more}`

/** The same for commands that know fewer of them. */
export const shortEpilogue = `Exit codes: 0 done, 2 could not be done as given, 70 a defect in rowlift.

${more}`

/** And for tests. */
export const testEpilogue = shortEpilogue.replace('0 done,', '0 done, 1 a test failed,')
