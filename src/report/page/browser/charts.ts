import type { Chart as ChartClass } from 'chart.js'
import type { ChartFacts } from '../embedded.ts'
import { type BarChart, configOf } from './chart-config.ts'

/** The library stands in the page before this script, where there are charts. */
declare const Chart: typeof ChartClass

type Drawing = ChartClass<'bar', number[], string>

let drawings: Drawing[] = []

/** Draws all charts, and anew where the colours change: with the scheme, and on paper. */
export function drawCharts(): void {
  draw()
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw)
  addEventListener('beforeprint', drawForPaper)
  addEventListener('afterprint', () => {
    delete document.documentElement.dataset.printing
    draw()
  })
}

function draw(): void {
  drawAll(configFrom)
}

function drawAll(configOfFigure: (facts: HTMLScriptElement) => BarChart): void {
  for (const drawing of drawings) drawing.destroy()
  drawings = [...document.querySelectorAll<HTMLElement>('figure.chart')].flatMap(figure => {
    const canvas = figure.querySelector('canvas')
    const facts = figure.querySelector('script')
    return canvas && facts ? [new Chart(canvas, configOfFigure(facts))] : []
  })
}

const configFrom = (facts: HTMLScriptElement): BarChart => configOf(JSON.parse(facts.text) as ChartFacts)

const paperPx = { width: 640, height: 240 }

/** The style is not yet that of paper when the browser tells of it, so it is asked for. */
function drawForPaper(): void {
  document.documentElement.dataset.printing = ''
  drawAll(facts => {
    const config = configFrom(facts)
    return { ...config, options: { ...config.options, responsive: false, devicePixelRatio: 2 } }
  })
  for (const drawing of drawings) drawing.resize(paperPx.width, paperPx.height)
}
