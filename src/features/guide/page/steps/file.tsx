import type { GridLine, ReadChange } from '../../api.ts'
import { useApp, useEdited } from '../app.ts'
import { Button, Loading } from '../parts.tsx'
import { counted, text } from '../texts.ts'

/** The file as it was read, and all that can be set about that. */
export function FileStep() {
  const { say } = useApp()
  const [view, edit] = useEdited('source')
  if (view === undefined) return <Loading />
  const { lines, header, encoding, sheets, format } = view
  const read = async (change: ReadChange, done = text('reading_saved')) => {
    if (await edit('read', { change })) say(done)
  }
  const sample = encoding?.choices.find(({ name }) => name === encoding.current)?.sample ?? ''
  const names = lines.find(({ line }) => line === header)?.cells ?? []
  const width = Math.max(0, ...lines.map(({ cells }) => cells.length))
  const letters = Array.from({ length: width }, (_, index) => letterOf(index))
  const isTable = format === 'csv' || format === 'xlsx'
  const headOf = ({ line, kind, reason }: GridLine) => (
    <th scope="row">
      {isTable ? (
        <Button
          class="whole"
          aria-pressed={kind === 'header'}
          aria-label={text('as_header', { line })}
          onClick={() => read({ type: 'header', line }, text('header_is', { line }))}
        >
          {line}
        </Button>
      ) : (
        line
      )}{' '}
      {kind === 'header' ? text('header') : reason !== '' && <small>{text(`reason_${reason}`)}</small>}
      {kind === 'left_out' && (
        <Button class="above" onClick={() => read({ type: 'take_back', line })}>
          {text('take_back', { line })}
        </Button>
      )}
    </th>
  )
  return (
    <>
      {sheets.length > 1 && (
        <fieldset>
          <legend>{text('sheet')}</legend>
          {sheets.map(({ name, rows, isHidden, isChosen }) => (
            <Button key={name} aria-pressed={isChosen} onClick={() => read({ type: 'sheet', name })}>
              <strong>{name}</strong> {rows !== null && counted('row_one', 'rows', rows)}{' '}
              {isHidden && text('hidden')}
            </Button>
          ))}
        </fieldset>
      )}
      {encoding && (
        <fieldset>
          <legend>{text('reads_right', { sample })}</legend>
          {encoding.choices.map(({ name, sample }) => (
            <Button
              key={name}
              aria-pressed={name === encoding.current}
              onClick={() => read({ type: 'encoding', name })}
            >
              <strong>{sample}</strong> <small>{name}</small>
            </Button>
          ))}
        </fieldset>
      )}
      <p>{text(isTable ? 'header_help' : 'grey_help')}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys */}
      <section class="scroll" tabIndex={0} aria-label={text('lines')}>
        <table class="lines">
          <thead>
            <tr>
              {[text('line'), ...letters].map(letter => (
                <th scope="col" key={letter}>
                  {letter}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {lines.map(line => (
              <tr key={line.line} class={line.kind}>
                {headOf(line)}
                {letters.map((letter, index) => (
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

/** Name of a column by its place, as spreadsheets have them. */
const letterOf = (index: number): string =>
  (index < 26 ? '' : letterOf(Math.floor(index / 26) - 1)) + String.fromCharCode(65 + (index % 26))
