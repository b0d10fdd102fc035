import { describe, expect, it } from 'vitest'
import { curlConfig } from './curl.ts'

describe('configuration of curl', () => {
  it('the configuration of curl has a section for each body, with its quotes and backslashes kept', () => {
    const config = curlConfig('http://127.0.0.1:1/x?y=true', 'secret', ['{"name":"a\\nb"}', '{}'])
    expect(config.split('next\n')).toHaveLength(2)
    expect(config).toContain('data-raw = "{\\"name\\":\\"a\\\\nb\\"}"\n')
    expect(config).toContain('header = "authorization: Bearer secret"\n')
  })
})
