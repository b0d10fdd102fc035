import { startTable } from './attention-table.ts'
import { drawCharts } from './charts.ts'
import { tellTimesLocally } from './local-times.ts'

document.documentElement.classList.add('scripted')
tellTimesLocally()
for (const box of document.querySelectorAll<HTMLElement>('.rows')) startTable(box)
drawCharts()
