import { exitCodes } from '../../app/exit-code.ts'
import { writeTexts } from '../../app/ports.ts'
import { customFields, fieldsOf } from '../../mapping/field-list.ts'
import { UsageError } from '../../model/errors.ts'
import { recordTypes } from '../../records/kinds.ts'
import { describeFields } from '../../report/command-output.ts'
import type { Run } from '../context.ts'

/** `rowlift fields`: lists the fields of a record; returns the exit code. Throws a UsageError. */
export const fieldsCommand: Run = async ({ positionals }, { stdout }) => {
  const [named, ...words] = positionals
  const record = recordTypes.find(each => each === named)
  if (record === undefined) throw new UsageError('no_record_named', { records: recordTypes })
  const fields = fieldsOf(record, words)
  if (fields.length === 0) throw new UsageError('no_such_field', { record, words })
  const hasCustom = fields.some(({ path: [first] }) => first === 'custom_field_values')
  await writeTexts([describeFields(fields, hasCustom ? customFields() : [])], stdout)
  return exitCodes.finished
}
