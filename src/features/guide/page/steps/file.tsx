import type { GridLine, ReadChange } from '../../api.ts'
import { useApp, useView } from '../app.ts'
import { Button, Choices, Loading, Noted, Table } from '../parts.tsx'
import { counted, text } from '../texts.ts'

/** The file as it was read, and all that can be set about that. */
export function FileStep() {
  const { say } = useApp()
  const [view, edit] = useView('source', {})
  if (view === undefined) return <Loading />
  const { lines, header, encoding, sheets, format } = view
  const read = async (change: ReadChange, done = text('saved')) => {
    if (await edit('read', { change })) say(done)
  }
  const sample = encoding?.choices.find(({ name }) => name === encoding.current)?.sample ?? ''
  const names = lines.find(({ line }) => line === header)?.cells ?? []
  const width = Math.max(0, ...lines.map(({ cells }) => cells.length))
  const letters = Array.from({ length: width }, (_, index) => letterOf(index))
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
  const sheetLabel = ({ name, rows, isHidden }: (typeof sheets)[number]) => {
    const note = [rows === null ? '' : counted('row', rows), isHidden ? text('hidden') : ''].join(' ')
    return <Noted words={name} note={note} />
  }
  return (
    <>
      {sheets.length > 1 && (
        <Choices
          legend={text('sheet')}
          choices={sheets.map(sheet => ({ id: sheet.name, label: sheetLabel(sheet) }))}
          chosen={sheets.find(({ isChosen }) => isChosen)?.name}
          onChoose={name => read({ type: 'sheet', name })}
        />
      )}
      {encoding && (
        <Choices
          legend={text('reads_right', { sample })}
          choices={encoding.choices.map(({ name, sample }) => ({
            ...{ id: name, label: <Noted words={sample} note={name} /> },
          }))}
          chosen={encoding.current}
          onChoose={name => read({ type: 'encoding', name })}
        />
      )}
      <p>{text(isTable ? 'header_help' : 'grey_help')}</p>
      <Table
        label={text('lines')}
        names={[text('line'), ...letters]}
        labels={letters.map((letter, index) => names[index] || letter)}
        rows={lines.map(line => ({ kind: line.kind, head: headOf(line), cells: line.cells }))}
      />
    </>
  )
}

/** Name of a column by its place, as spreadsheets have them. */
const letterOf = (index: number): string =>
  (index < 26 ? '' : letterOf(Math.floor(index / 26) - 1)) + String.fromCharCode(65 + (index % 26))
