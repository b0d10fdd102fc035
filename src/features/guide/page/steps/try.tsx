export function TryStep() {
  return <p>…</p>
}
