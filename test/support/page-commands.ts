import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { expect } from 'vitest'
import { blocksOf } from './pages.ts'
import { pollOptions } from './polling.ts'
import { rowlift, start } from './rowlift.ts'
import type { Ended, Running } from './running.ts'
import type { Service } from './service.ts'

/** What a page shows: a command of a shell, or what commands print or write. */
export interface Step {
  readonly kind: 'command' | 'shown'
  readonly text: string
  /** How a command ends, where its comment says so. */
  readonly exitCode?: number
}

/** The commands and the shown output of a page, in its order. JSON that is shown over several lines becomes one line. */
export const stepsOf = (page: string): Step[] =>
  blocksOf(page).flatMap(({ language, text }): Step[] => {
    if (language === 'sh') return commandsOf(text)
    if (language === 'crontab') return commandsOf(jobsIn(text))
    return shownIn(language, text).map(text => ({ kind: 'shown', text }))
  })

/** What a block shows of output: the lines of NDJSON one by one, for they may come in any order. */
function shownIn(language: string, text: string): string[] {
  if (language === 'json')
    return text.startsWith('{\n') ? [JSON.stringify(JSON.parse(text))] : text.trim().split('\n')
  return language === 'text' || language === 'csv' ? [text] : []
}

/** The commands of a crontab, as a shell reads them. */
const jobsIn = (crontab: string): string =>
  [...crontab.matchAll(/^(?:[\d*]+ +){5}(.*)$/gm)]
    .map(([, job = '']) => job.replaceAll('\\%', '%').replace('/usr/local/bin/', ''))
    .join('\n')

/** The commands of a block, each on one line and without its comment. Text in quotes may have several lines. */
function commandsOf(block: string): Step[] {
  const steps: Step[] = []
  let open = ''
  for (const line of block.split('\n')) {
    const [, words = '', comment = ''] = /^(.*?)(?:(?:^|\s+)#\s(.*))?$/.exec(line) ?? []
    open += words
    if (open.endsWith('\\') || open.endsWith('&&')) open = open.replace(/ *\\?$/, ' ')
    else if (open.split("'").length % 2 === 0) open += '\n'
    else {
      const [, exitCode] = /exit code (\d+)/.exec(comment) ?? []
      if (open !== '')
        steps.push({ kind: 'command', text: open, ...(exitCode && { exitCode: Number(exitCode) }) })
      open = ''
    }
  }
  return steps
}

/** A folder in which the commands of a page run, as a person would type them one after the other. */
export class Shell {
  readonly cwd: string
  readonly service: Service
  /** What words of the page stand for here, such as an address or the beginning of an id. */
  readonly meanings = new Map<string, string>()
  readonly env: Record<string, string> = {}
  /** All that was printed. */
  readonly outputs: string[] = []

  constructor(cwd: string, service: Service) {
    this.cwd = cwd
    this.service = service
    this.meanings.set('https://api.example.com', service.url)
  }

  /** Runs a line, part by part between `&&`, and returns the last exit code. It goes on after 1, which tells of rows. */
  async run(line: string): Promise<number | null> {
    let exitCode: number | null = 0
    for (const part of this.meant(line).split(' && ')) {
      exitCode = await this.runPart(part.trim())
      if (exitCode !== 0 && exitCode !== 1) break
    }
    return exitCode
  }

  /** The same for a command that a page does not show, which ends well. */
  async must(line: string): Promise<void> {
    const exitCode = await this.run(line)
    if (exitCode !== 0 && exitCode !== 1)
      throw new Error(`${line}: exit code ${exitCode}: ${this.outputs.slice(-2).join('')}`)
  }

  /** Starts a command that does not end by itself, and waits until it has said these words on standard error. */
  async start(line: string, words: string): Promise<Running> {
    const running = this.startNow(line)
    await running.said(words)
    return running
  }

  /** Writes a file that a command watches, and ends the command as Ctrl-C does once it has printed these words of that. */
  async showChange(running: Running, name: string, text: string, words: string): Promise<void> {
    let printed = ''
    running.process.stdout?.on('data', text => {
      printed += text
    })
    await this.write(name, text)
    await expect.poll(() => printed, pollOptions).toContain(words)
    running.process.kill('SIGINT')
    this.keep(await running.ended)
  }

  /** Where a file of the page is; the folder is the home of its user, too. */
  readonly pathOf = (name: string): string => join(this.cwd, name.replace('~/', ''))

  readonly read = (name: string): Promise<string> => readFile(join(this.cwd, name), 'utf8')

  readonly write = (name: string, text: string | Buffer): Promise<void> =>
    writeFile(join(this.cwd, name), typeof text === 'string' ? this.meant(text) : text)

  /** Writes the file of the token, which stands elsewhere in the page. */
  async writeToken(path: string, mode: number): Promise<void> {
    await writeFile(join(this.cwd, 'token'), 'a-secret-token', { mode })
    this.meanings.set(path, join(this.cwd, 'token'))
  }

  readonly remove = (name: string): Promise<void> => rm(join(this.cwd, name), { force: true })

  private startNow(line: string): Running {
    const [, command = ''] = /rowlift (.*)$/.exec(this.meant(line)) ?? []
    const env = { ...this.env, ROWLIFT_LOG_FORMAT: 'pretty' }
    return start(wordsOf(command), { cwd: this.cwd, env })
  }

  private meant(text: string): string {
    let meant = text
    for (const [word, meaning] of this.meanings) meant = meant.replaceAll(word, meaning)
    return meant
  }

  private async runPart(part: string): Promise<number | null> {
    const [, name, value = ''] = /^export (\w+)=(.*)$/.exec(part) ?? []
    if (name !== undefined) {
      if (value !== '…') this.env[name] = value.replaceAll("'", '')
      return 0
    }
    const [, variables = '', command = '', pipe, file] =
      /^((?:[A-Z]+=\S+ )*)(?:npx )?rowlift ([^|>]*?)\s*(?:\| (.*)|>{1,2} (\S+))?$/.exec(part) ?? []
    if (command === '') return this.runProgram(part)
    if (command.startsWith('sandbox')) return this.serve(part)
    if (command.startsWith('guide')) return this.guide(part)
    const own = [...variables.matchAll(/(\w+)=(\S+)/g)].map(([, key = '', word = '']) => [key, word])
    const ended = await rowlift(wordsOf(command), {
      cwd: this.cwd,
      env: { ...this.env, ...Object.fromEntries(own) },
      onTerminal: pipe === undefined && file === undefined,
      hasColors: true, // which makes standard error a terminal
    })
    if (file !== undefined) {
      const write = part.includes('>>') ? appendFile : writeFile
      await write(this.pathOf(file), ended.stdout)
    }
    this.keep(ended)
    return pipe === undefined ? ended.exitCode : this.runProgram(pipe, ended.stdout)
  }

  /** Starts a sandbox, which stands for the one on its default port. */
  private async serve(command: string): Promise<0> {
    const { stdout } = this.startNow(`${command} --port 0`).process
    const [address] = stdout === null ? [] : await once(stdout, 'data')
    this.meanings.set('http://127.0.0.1:8787', String(address).trim())
    return 0
  }

  /** Starts the guide, until it has printed its address. */
  private async guide(command: string): Promise<0> {
    const { stdout } = this.startNow(`${command} --no-open`).process
    if (stdout !== null) await once(stdout, 'data')
    return 0
  }

  private runProgram(command: string, input = ''): number | null {
    const env = { PATH: process.env.PATH, HOME: this.cwd }
    const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
      cwd: this.cwd,
      input,
      encoding: 'utf8',
      env,
    })
    this.keep({ exitCode: status, stdout, stderr })
    if (status !== 0) throw new Error(`${command}: exit code ${status}: ${stderr}`)
    return status
  }

  private keep({ stdout, stderr }: Ended): void {
    for (const text of [stdout, stderr]) {
      let said = stripVTControlCharacters(text)
      for (const [word, meaning] of this.meanings) said = said.replaceAll(meaning, word)
      this.outputs.push(said)
    }
  }
}

const wordsOf = (command: string): string[] =>
  [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, one, other, bare]) => one ?? other ?? bare ?? '',
  )
