import { derivedInteger } from './derived.ts'
import { longAgo, type MadeRecord, zeroTimestamp, zonelessTimestamp } from './made-record.ts'
import type { CustomFieldValue } from './shared-fields.ts'

/**
 * The full Custom field value of interface 2.6 for one that a body gave.
 * @param index its place in the list, which makes its `cfv_id`
 */
export function fullCustomFieldValue(given: CustomFieldValue, index: number, made: MadeRecord) {
  return {
    cfv_id: derivedInteger(`${made.recordId}/${index}`),
    record_id: made.recordId,
    project_id: given.project_id ?? null,
    custom_field_id: given.custom_field_id,
    custom_field_info: customFieldInfo(given),
    text_value: given.text_value ?? null,
    number_value: given.number_value ?? null,
    datetime_value: given.datetime_value ?? null,
    option_id: optionId(given),
    option_value: option(given),
    option_multiple_ids: given.option_multiple_ids ?? [],
    multi_select_option_values: given.multi_select_option_values ?? [],
    created_at: zonelessTimestamp(made.receivedAtMs),
    modified_at: zeroTimestamp,
  }
}

function customFieldInfo(given: CustomFieldValue) {
  const type = given.custom_field_info?.type ?? typeOf(given)
  return {
    custom_field_id: given.custom_field_id,
    type,
    data_type: given.custom_field_info?.data_type ?? type,
    name: given.custom_field_info?.name ?? `Field ${given.custom_field_id.slice(0, 8)}`,
    last_custom_id: null,
    // Interface 2.6 says that some entries only carry it, so a client must bear both.
    ...(type === 'select' ? { missing_dependency: false } : {}),
    config_editable_by: 'everyone',
    value_editable_by: 'everyone',
    created_at: longAgo,
    modified_at: zeroTimestamp,
  }
}

/** `select` and `number` were observed (interface 2.6); `text` and `date` are guesses of this sandbox. */
function typeOf(given: CustomFieldValue): string {
  if (typeof given.number_value === 'number') return 'number'
  if (typeof given.datetime_value === 'string') return 'date'
  if (optionId(given) !== null || given.option_multiple_ids !== undefined) return 'select'
  return 'text'
}

function optionId(given: CustomFieldValue): string | null {
  return given.option_id ?? given.option_value?.option_id ?? null
}

/** The Option object of interface 2.6, or null when none is chosen. */
function option(given: CustomFieldValue) {
  const id = optionId(given)
  if (id === null) return null
  return {
    option_id: id,
    custom_field_id: given.custom_field_id,
    name: given.option_value?.name ?? `Option ${id.slice(0, 8)}`,
    color_id: given.option_value?.color_id ?? 1,
    is_enabled: true,
    order_index: 1024.5,
    created_at: longAgo,
    modified_at: zeroTimestamp,
  }
}
