import { describe, expect, it } from 'vitest'
import type { Denial, Intents } from '../../../src/model/store.ts'
import { senderTo } from '../../support/sender.ts'
import { type Reaction, startService } from '../../support/service.ts'

const owner = { source: 'x.csv', row: 3 }

/** Answers each question in turn, and allows all others; tells what it was asked. */
function intentsThat({ add = [], check = [] }: Partial<Record<'add' | 'check', (Denial | undefined)[]>>) {
  const told: string[] = []
  const next = (what: string, answers: (Denial | undefined)[]) => {
    told.push(what)
    return answers.shift()
  }
  const intentLog: Intents = {
    add: async () => next('add', add),
    check: () => next('check', check),
    remove: () => void told.push('remove'),
  }
  return { told, intentLog }
}

const serviceThat = (...reactions: Reaction[]) =>
  startService({ react: attempt => reactions[attempt - 1] ?? 'create' })

describe('denied call', () => {
  it('a denied call is never sent, and its row is a duplicate of the row that has its key', async () => {
    const service = await serviceThat()
    const { told, intentLog } = intentsThat({ add: [{ sameAs: owner }] })
    const { send, underWay, stop } = senderTo(service.url, { intentLog })
    expect(await send()).toMatchObject({ status: 'duplicate', sameAs: owner, identity: { key: 'Ada' } })
    expect(told).toEqual(['add'])
    expect(service.calls).toEqual([])
    expect([underWay(), stop.reason]).toEqual([0, undefined])
  })

  it('a denied call leaves its row where another worker has it', async () => {
    const service = await serviceThat()
    const { told, intentLog } = intentsThat({ add: [{}] })
    expect(await senderTo(service.url, { intentLog }).send()).toBeUndefined()
    expect(told).toEqual(['add'])
    expect(service.calls).toEqual([])
  })

  it('a denied call takes its intent back where it is too late by then', async () => {
    const service = await serviceThat()
    const { told, intentLog } = intentsThat({ check: [{}] })
    const { send, underWay } = senderTo(service.url, { intentLog })
    expect(await send()).toBeUndefined()
    expect(told).toEqual(['add', 'check', 'remove'])
    expect(service.calls).toEqual([])
    expect(underWay()).toBe(0)
    expect(await send('Bob')).toMatchObject({ status: 'created' })
  })

  it('a denied call is not sent where it is too late once its connection is open', async () => {
    const service = await serviceThat()
    const { told, intentLog } = intentsThat({ check: [undefined, {}] })
    const { send, underWay } = senderTo(service.url, { intentLog })
    expect(await send()).toBeUndefined()
    expect(told).toEqual(['add', 'check', 'check', 'remove'])
    await service.settled()
    expect([service.calls, service.connections(), underWay()]).toEqual([[], 1, 0])
    expect(await send('Bob')).toMatchObject({ status: 'created' })
  })

  it('a denied call is not sent if it is too late once it has a connection used before', async () => {
    const service = await serviceThat()
    const { intentLog } = intentsThat({ check: [undefined, undefined, undefined, {}] })
    const { send, underWay } = senderTo(service.url, { intentLog })
    expect(await send()).toMatchObject({ status: 'created' })
    expect(await send('Bob')).toBeUndefined()
    await service.settled()
    expect([service.calls.length, underWay()]).toEqual([1, 0])
    expect(await send('Cleo')).toMatchObject({ status: 'created' })
  })

  it('a denied call is left at a later attempt, after one that reached nothing', async () => {
    const service = await serviceThat({ answer: 503 })
    const { told, intentLog } = intentsThat({ add: [undefined, {}] })
    expect(await senderTo(service.url, { intentLog }).send()).toBeUndefined()
    expect(told).toEqual(['add', 'check', 'check', 'remove', 'add'])
    expect(service.calls).toHaveLength(1)
  })

  it.each(['add', 'check'] as const)(
    'a denied call by %s keeps its intent after an attempt that may have made its record',
    async by => {
      const service = await serviceThat({ cut: 'in the answer' })
      const atFirst = by === 'add' ? [undefined] : [undefined, undefined] // before the connection and once it is open
      const { told, intentLog } = intentsThat({ [by]: [...atFirst, {}] })
      const sender = senderTo(service.url, { intentLog, mode: 'at-least-once' })
      expect(await sender.send()).toBeUndefined()
      expect(told).not.toContain('remove')
      expect(service.calls).toHaveLength(1)
    },
  )
})
