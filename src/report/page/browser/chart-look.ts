import type { ChartDataset, TooltipItem } from 'chart.js'
import { grouped } from '../../numbers.ts'
import type { Series } from '../embedded.ts'

/** A colour of the style, as it is in the scheme of now. */
export const colorOf = (name: string) =>
  getComputedStyle(document.documentElement)
    .getPropertyValue(`--${name.replace('_', '-')}`)
    .trim()

export const datasetOf = ({ name, color, values }: Series): ChartDataset<'bar', number[]> => ({
  label: name,
  data: [...values],
  backgroundColor: colorOf(color),
  borderColor: colorOf('paper'),
  borderWidth: { top: 0.5 },
  borderSkipped: false,
})

/** What all charts have in common: nothing moves, and the size is that of the box. */
export const plain = () => ({
  animation: false as const,
  maintainAspectRatio: false,
  color: colorOf('soft'),
  font: { family: getComputedStyle(document.body).fontFamily, size: 12 },
  interaction: { mode: 'index' as const, intersect: false },
})

/** What is told of the bar under the pointer; the legend stands in the page. */
export const tooltip = (label: (value: number) => string, title?: (at: number) => string) => ({
  legend: { display: false },
  tooltip: {
    backgroundColor: colorOf('ink'),
    titleColor: colorOf('paper'),
    bodyColor: colorOf('paper'),
    padding: 10,
    cornerRadius: 4,
    boxPadding: 4,
    filter: ({ raw }: TooltipItem<'bar'>) => Number(raw) > 0,
    callbacks: {
      label: (item: TooltipItem<'bar'>) => `${item.dataset.label ?? ''}: ${label(Number(item.raw))}`,
      ...(title !== undefined && { title: ([item]: TooltipItem<'bar'>[]) => title(item?.dataIndex ?? 0) }),
    },
  },
})

export const ticks = () => ({ color: colorOf('soft'), font: plain().font, maxRotation: 0 })
export const countAxis = () => ({
  stacked: true,
  beginAtZero: true,
  border: { display: false },
  grid: { color: colorOf('line') },
  ticks: {
    ...ticks(),
    precision: 0,
    maxTicksLimit: 6,
    callback: (value: string | number) => grouped(Number(value)),
  },
})
