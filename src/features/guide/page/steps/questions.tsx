export function QuestionsStep() {
  return <p>…</p>
}
