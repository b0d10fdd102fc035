export function RunStep() {
  return <p>…</p>
}
