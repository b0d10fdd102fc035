import type { Chart as Drawn, Plugin } from 'chart.js'
import { shortSpan } from '../words.ts'
import { colorOf, plain } from './chart-look.ts'

/** Writes each span beside its bar. */
export const spanBesideBar: Plugin<'bar'> = {
  id: 'span-beside-bar',
  afterDatasetsDraw(chart: Drawn) {
    const { ctx } = chart
    ctx.save()
    ctx.font = `12px ${plain().font.family}`
    ctx.fillStyle = colorOf('ink')
    ctx.textBaseline = 'middle'
    chart.data.datasets.forEach((dataset, set) => {
      chart.getDatasetMeta(set).data.forEach((bar, at) => {
        ctx.fillText(shortSpan(Number(dataset.data[at])), bar.x + 6, bar.y)
      })
    })
    ctx.restore()
  },
}

/** Draws a dashed line before some of the bars. */
export const linesBefore = (bars: readonly boolean[]): Plugin<'bar'> => ({
  id: 'lines-before',
  beforeDatasetsDraw({ ctx, chartArea: { left, top, bottom, width } }: Drawn) {
    ctx.save()
    ctx.strokeStyle = colorOf('soft')
    ctx.setLineDash([3, 3])
    bars.forEach((isMarked, at) => {
      if (!isMarked) return
      const x = Math.round(left + (at * width) / bars.length) + 0.5
      ctx.beginPath()
      ctx.moveTo(x, top)
      ctx.lineTo(x, bottom)
      ctx.stroke()
    })
    ctx.restore()
  },
})
