import type { Chart as ChartClass } from 'chart.js'
import type { ChartFacts } from '../embedded.ts'
import { type BarChart, configOf } from './chart-config.ts'

/** The library stands in the page before this script, where there are charts. */
declare const Chart: typeof ChartClass

const figures = document.querySelectorAll<HTMLElement>('figure.chart')
const page = document.documentElement
const paperPx = { width: 640, height: 240 }

/** Draws all charts, and anew where the colours change: with the scheme, and on paper. */
export function drawCharts(): void {
  drawInTurn()
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawInTurn)
  addEventListener('beforeprint', () => {
    page.dataset.printing = '' // the style is not yet that of paper, so it is asked for
    figures.forEach(draw)
  })
  addEventListener('afterprint', () => {
    delete page.dataset.printing
    drawInTurn()
  })
}

/** Between two charts the page can answer. */
function drawInTurn(): void {
  for (const figure of figures) setTimeout(draw, 0, figure)
}

function draw(figure: HTMLElement): void {
  const canvas = figure.querySelector('canvas')
  const facts = figure.querySelector('script')
  if (canvas === null || facts === null) return
  Chart.getChart(canvas)?.destroy()
  const config = configOf(JSON.parse(facts.text) as ChartFacts)
  if (page.dataset.printing === undefined) new Chart(canvas, config)
  else new Chart(canvas, onPaper(config)).resize(paperPx.width, paperPx.height)
}

const onPaper = (config: BarChart): BarChart => ({
  ...config,
  options: { ...config.options, responsive: false, devicePixelRatio: 2 },
})
