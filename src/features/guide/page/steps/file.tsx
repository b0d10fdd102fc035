// The steps that say what the file is: its lines, and the records that its rows become.
import type { GridLine, ReadChange } from '../../api.ts'
import { edit, useView } from '../app.ts'
import { Button, Card, Choices, Loading, RecordCard, Table } from '../parts.tsx'
import { counted, text } from '../texts.ts'

/** The file as it was read, and all that can be set about that. */
export function FileStep() {
  const view = useView('source', {})
  if (view === undefined) return <Loading />
  const { lines, header, encoding, sheets, format } = view
  const read = (change: ReadChange, done = text('saved')) => edit('read', { change }, done)
  const sample = encoding?.choices.find(({ name }) => name === encoding.current)?.sample ?? ''
  const names = lines.find(({ line }) => line === header)?.cells ?? []
  const width = Math.max(0, ...lines.map(({ cells }) => cells.length))
  const letters = Array.from({ length: width }, () => '') // the style has them
  const isTable = format === 'csv' || format === 'xlsx'
  const headOf = ({ line, kind, reason }: GridLine) => (
    <>
      {isTable ? (
        <Button
          class="whole"
          aria-pressed={kind === 'header'}
          aria-label={text('as_header', { line })}
          label={line}
          onClick={() => read({ type: 'header', line }, text('header_is', { line }))}
        />
      ) : (
        line
      )}{' '}
      {kind === 'header' ? text('header') : reason !== '' && <small>{text(`reason_${reason}`)}</small>}
      {kind === 'left_out' && (
        <Button
          label={text('take_back', { line })}
          class="above"
          onClick={() => read({ type: 'take_back', line })}
        />
      )}
    </>
  )
  const noteOf = ({ rows, isHidden }: (typeof sheets)[number]) =>
    [rows === null ? '' : counted('row', rows), isHidden ? text('hidden') : ''].join(' ')
  return (
    <>
      {sheets.length > 1 && (
        <Choices
          legend={text('sheet')}
          choices={sheets.map(sheet => ({ id: sheet.name, label: sheet.name, note: noteOf(sheet) }))}
          chosen={sheets.find(({ isChosen }) => isChosen)?.name}
          onChoose={name => read({ type: 'sheet', name })}
        />
      )}
      {encoding && (
        <Choices
          legend={text('reads_right', { sample })}
          choices={encoding.choices.map(({ name, sample }) => ({ id: name, label: sample, note: name }))}
          chosen={encoding.current}
          onChoose={name => read({ type: 'encoding', name })}
        />
      )}
      <p>{text(isTable ? 'header_help' : 'grey_help')}</p>
      <Table
        label={text('lines')}
        names={[text('line'), ...letters]}
        labels={letters.map((letter, index) => names[index] ?? letter)}
        rows={lines.map(line => ({ kind: line.kind, head: headOf(line), cells: line.cells }))}
      />
    </>
  )
}

/** Contacts or tasks, each as two rows of the file would look. */
export function KindStep() {
  const view = useView('kinds', {})
  if (view === undefined) return <Loading />
  const { recognized, chosen, choices } = view
  const choose = (record: (typeof choices)[number]['record']) =>
    record !== chosen && edit('record', { record }, text('kind_chosen', { kind: text(`records_${record}`) }))
  return (
    <>
      {recognized !== null && <p class="good">{text('recognized', { product: recognized })}</p>}
      <p>{text('kind_help')}</p>
      <div class="cards">
        {choices.map(({ record, samples }) => (
          <Card key={record} title={text(`records_${record}`)}>
            <Button
              label={text(record === chosen ? 'kind_is' : 'kind_choose')}
              aria-pressed={record === chosen}
              onClick={() => choose(record)}
            />
            {record === 'both' && <p>{text('kind_both')}</p>}
            {samples.length === 0 && <p>{text('no_samples')}</p>}
            {samples.map((sample, index) => (
              <RecordCard key={index} record={sample} />
            ))}
          </Card>
        ))}
      </div>
    </>
  )
}
