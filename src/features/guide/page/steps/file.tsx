export function FileStep() {
  return <p>…</p>
}
