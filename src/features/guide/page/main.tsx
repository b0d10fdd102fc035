import { render } from 'preact'
import { Shell } from './shell.tsx'
import { language } from './texts.ts'

document.documentElement.lang = language
const app = document.querySelector('#app')
if (app) render(<Shell />, app)
