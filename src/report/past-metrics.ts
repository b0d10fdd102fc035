/** What stays true of the runs before this one. */
export interface PastMetrics {
  /** In seconds since 1970; 0 if there was none. */
  readonly lastSuccess: number
  readonly inDoubt: number
}

const line =
  /^(rowlift_last_success_timestamp_seconds|rowlift_in_doubt_rows)(?:\{((?:[^"}\n]|"(?:[^"\\\n]|\\.)*")*)\})? (\d{1,15}(?:\.\d{1,9})?)$/gm
const stepLabel = /(?:^|,)step="((?:[^"\\]|\\.)*)"/

/** Reads what a run wrote into its metrics file, for each step of a plan; whatever else the file may hold is nothing. */
export function pastMetrics(text: string): (step: string | undefined) => PastMetrics {
  const values = new Map<string, number>()
  for (const [, metric, labels = '', value] of text.matchAll(line)) {
    const step = stepLabel.exec(labels)?.[1]
    values.set(`${metric} ${step === undefined ? '' : unescaped(step)}`, Number(value))
  }
  return (step = '') => ({
    lastSuccess: values.get(`rowlift_last_success_timestamp_seconds ${step}`) ?? 0,
    inDoubt: values.get(`rowlift_in_doubt_rows ${step}`) ?? 0,
  })
}

/** A label's value as it was before it was written. */
const unescaped = (value: string) => value.replaceAll(/\\(.)/g, (_, sign) => (sign === 'n' ? '\n' : sign))
