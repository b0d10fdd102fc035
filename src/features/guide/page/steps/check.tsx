export function CheckStep() {
  return <p>…</p>
}
