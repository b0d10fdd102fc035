import type { Clock } from '../../../src/model/clock.ts'
import { type Chance, Folder } from './disk.ts'

/** Chance from a seed (mulberry32). */
export function chanceOf(seed: number): Chance {
  let state = seed
  const below = (limit: number) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * limit)
  }
  return { below, keepsName: () => below(2) === 0 }
}

/** A crash loses all that was not synced, or keeps all names. */
export const losing = (what: 'everything' | 'bytes'): Chance => ({
  below: () => 0,
  keepsName: () => what === 'bytes',
})

/** Something that a process waits for. */
interface Pending {
  readonly process: Process
  readonly dueMs: number
  readonly isBackground?: boolean
  /** The machine takes others first, nearly always: a sync may take long. */
  readonly isSlow?: boolean
  /** Does it and lets the process go on. */
  readonly end: () => void
  /** What may still come of it when the process dies meanwhile. */
  readonly leave?: () => void
}

/** One process of the model: it runs only while the machine ends what it waits for. */
export class Process {
  readonly id: string
  readonly pid: number
  readonly machine: Machine
  isAlive = true
  isAwake = true
  /** The disk failed it. */
  hadFailedSync = false

  constructor(machine: Machine, pid: number) {
    this.machine = machine
    this.pid = pid
    this.id = String(pid).padStart(26, '0')
    const msEach = machine.chance.below(4) === 0 ? 0 : 1
    let elapsedMs = 0
    this.stopwatch = {
      now() {
        elapsedMs += msEach
        return elapsedMs
      },
    }
  }

  /** Resolves when the machine has done something; `partly` is what may be left of it after a kill. */
  io<T>(action: () => T, partly?: () => void): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = () => {
        try {
          resolve(action())
        } catch (error) {
          reject(error)
        }
      }
      const isSlow = this.machine.chance.below(6) === 1
      this.machine.pending.add({
        process: this,
        dueMs: 0,
        isSlow,
        end,
        leave: partly ?? (() => void action()),
      })
    })
  }

  /** Lets others go first. */
  turn = (): Promise<void> => this.io(() => {})

  /** By which all syncs of a process are quick, or all take long. */
  readonly stopwatch: { readonly now: () => number }

  readonly clock: Clock = {
    now: () => new Date(Date.UTC(2026, 10, 21) + this.machine.nowMs),
    elapsedMs: () => this.machine.nowMs,
    after: (delayMs, action, kind) => {
      const timer: Pending = {
        process: this,
        dueMs: this.machine.nowMs + delayMs,
        isBackground: kind === 'background',
        end: action,
      }
      this.machine.pending.add(timer)
      return () => void this.machine.pending.delete(timer)
    },
  }
}

/** A computer: it has a disk, processes, and a time that goes by only when all of them wait. */
export class Machine {
  readonly chance: Chance
  readonly pending = new Set<Pending>()
  readonly processes: Process[] = []
  root = new Folder()
  nowMs = 0
  boot = 1

  constructor(chance: Chance) {
    this.chance = chance
  }

  start(): Process {
    const process = new Process(this, this.processes.length + 1)
    this.processes.push(process)
    return process
  }

  /** Ends one thing that some process waits for, any of them; false where none is left. */
  async step(): Promise<boolean> {
    const waiting = [...this.pending].filter(({ process }) => process.isAwake)
    const ready = waiting.filter(({ dueMs }) => dueMs <= this.nowMs)
    if (ready.length === 0) {
      if (waiting.every(({ isBackground }) => isBackground)) return false
      this.nowMs = Math.min(...waiting.map(({ dueMs }) => dueMs))
      return this.step()
    }
    const quick = this.chance.below(10) === 0 ? [] : ready.filter(({ isSlow }) => !isSlow)
    const candidates = quick.length > 0 ? quick : ready
    const next = candidates[this.chance.below(candidates.length)] as Pending
    this.pending.delete(next)
    next.end()
    await this.settle()
    return true
  }

  /** All that waits for promises alone has its turn. */
  settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

  /** What was written stays. What is under way may be done, or not, or in part. */
  kill(process: Process): void {
    process.isAlive = false
    process.isAwake = false
    for (const each of this.pending) {
      if (each.process !== process) continue
      this.pending.delete(each)
      if (each.leave === undefined || this.chance.below(2) === 0) continue
      try {
        each.leave()
      } catch {} // there is nobody left to be told
    }
  }

  cutPower(): void {
    for (const process of this.processes) if (process.isAlive) this.kill(process)
    this.root = this.root.afterPowerCut(this.chance)
    this.boot += 1
  }
}
