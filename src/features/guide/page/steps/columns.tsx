export function ColumnsStep() {
  return <p>…</p>
}
