import { describe, expect, it } from 'vitest'
import { importTree, treeMapping } from '../../support/record-tree.ts'
import { parentsIn } from '../../support/references.ts'
import { outcomesIn } from '../../support/rowlift.ts'

const expr = '$contains(Name, /^(a+)+$/) ? $lookup("parents", "1") : $lookup("parents", $trim(Parent))'
const mapping = (text: string) => treeMapping.replace('from: Parent, lookup: parents', `expr: '${text}'`)

describe('import by expressions', () => {
  it('an import by expressions waits for the rows that they look up', async () => {
    const { service, log, run } = await importTree(
      `Id,Name,Parent\n3,Third,2\n2,Second, 1 \n4,${'a'.repeat(40)}!,\n1,First,\n5,Fifth,nobody\n`,
      {},
      mapping(expr),
    )
    expect((await run()).exitCode).toBe(1)
    expect(parentsIn(service)).toEqual({ First: undefined, Second: 'First', Third: 'Second' })
    const refused = (await outcomesIn(log)).filter(line => line.status === 'invalid')
    expect(refused.map(({ key, errors }) => [key, errors[0].path, errors[0].message])).toEqual([
      ['4', 'parent.record_id', expect.stringMatching(/fails: it takes too many steps$/)],
      ['5', 'parent.record_id', expect.stringMatching(/^the expression \$contains\(Name.+ matches no row/)],
    ])
    expect(service.violations).toEqual([])
  })

  it('an import by expressions ends with 2 if they cannot be parsed, or name no column', async () => {
    const { run, write, service } = await importTree(
      'Id,Name,Parent\n1,First,\n',
      {},
      mapping('Parnet & Name'),
    )
    const unknown = await run()
    expect(unknown.stderr).toContain('m.yaml:7:32: unknown column "Parnet"; did you mean "Parent"?')
    await write(mapping('Parent &'), 'm.yaml')
    const unreadable = await run()
    expect(unreadable.stderr).toContain('m.yaml:7:32: this is not a JSONata expression (')
    expect([unknown.exitCode, unreadable.exitCode, service.calls.length]).toEqual([2, 2, 0])
  })
})
