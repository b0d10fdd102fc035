export function KindStep() {
  return <p>…</p>
}
