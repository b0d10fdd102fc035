import type { GridLine } from '../../api.ts'
import { useApp, useEdited } from '../app.ts'
import { Loading } from '../parts.tsx'
import { counted, text } from '../texts.ts'

/** Name of a column by its place, as spreadsheets have them. */
const letterOf = (index: number): string =>
  (index < 26 ? '' : letterOf(Math.floor(index / 26) - 1)) + String.fromCharCode(65 + (index % 26))

/** The file as it was read, and all that can be set about that. */
export function FileStep() {
  const { say } = useApp()
  const [view, edit] = useEdited('source')
  if (view === undefined) return <Loading />
  const { lines, header, encoding, sheets } = view
  const names = lines.find(({ line }) => line === header)?.cells ?? []
  const columns = Array.from({ length: Math.max(0, ...lines.map(({ cells }) => cells.length)) }, (_, index) =>
    letterOf(index),
  )
  const headerIs = async (line: number) => {
    if (await edit('read', { change: { type: 'header', line } })) say(text('header_is', { line }))
  }
  return (
    <>
      {sheets.length > 1 && (
        <fieldset>
          <legend>{text('sheet')}</legend>
          {sheets.map(({ name, rows, isHidden, isChosen }) => (
            <button
              type="button"
              key={name}
              aria-pressed={isChosen}
              onClick={() => edit('read', { change: { type: 'sheet', name } })}
            >
              <strong>{name}</strong> {counted('row_one', 'rows', rows)} {isHidden && text('hidden')}
            </button>
          ))}
        </fieldset>
      )}
      {encoding && (
        <fieldset>
          <legend>
            {text('reads_right', {
              sample: encoding.choices.find(({ name }) => name === encoding.current)?.sample ?? '',
            })}
          </legend>
          {encoding.choices.map(({ name, sample }) => (
            <button
              type="button"
              key={name}
              aria-pressed={name === encoding.current}
              onClick={() => edit('read', { change: { type: 'encoding', name } })}
            >
              <strong>{sample}</strong> <small>{name}</small>
            </button>
          ))}
        </fieldset>
      )}
      <p>{text('header_help')}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys */}
      <section class="scroll" tabIndex={0} aria-label={text('lines')}>
        <table class="lines">
          <thead>
            <tr>
              <th scope="col">{text('line')}</th>
              {columns.map(letter => (
                <th scope="col" key={letter}>
                  {letter}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {lines.map(line => (
              <tr key={line.line} class={line.kind}>
                <th scope="row">
                  <LineHead
                    line={line}
                    onHeader={() => headerIs(line.line)}
                    onTakeBack={() => edit('read', { change: { type: 'take_back', line: line.line } })}
                  />
                </th>
                {columns.map((letter, index) => (
                  <td key={letter} data-label={names[index] || letter}>
                    {line.cells[index]}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  )
}

interface LineHeadProps {
  readonly line: GridLine
  readonly onHeader: () => void
  readonly onTakeBack: () => void
}

/** Number of a line, by which it becomes the header, and why it is no row. */
function LineHead({ line: { line, kind, reason }, onHeader, onTakeBack }: LineHeadProps) {
  const isHeader = kind === 'header'
  return (
    <>
      <button
        type="button"
        class="whole"
        aria-pressed={isHeader}
        aria-label={text('as_header', { line })}
        onClick={onHeader}
      >
        {line}
      </button>
      {isHeader ? text('header') : <small>{reason}</small>}
      {kind === 'left_out' && (
        <button type="button" class="above" onClick={onTakeBack}>
          {text('take_back', { line })}
        </button>
      )}
    </>
  )
}
