export function AfterStep() {
  return <p>…</p>
}
