import { readFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { cleanUp } from '../../support/cleanup.ts'
import { answerOf, listening, type RawCall, startRawService } from '../../support/raw-service.ts'
import { senderTo } from '../../support/sender.ts'

// What a service may send in answer to a call, byte by byte, and what becomes of the row (DESIGN 5, docs/usage/delivery.md).

const id = '3f6d2a10-7c41-4a55-9d0e-5b1c2d3e4f50'
const other = '7f6d2a10-7c41-4a55-9d0e-5b1c2d3e4f50'
const record = JSON.stringify({ record_id: id, name: 'Ada' })

type Hostile = string | Buffer | ((call: RawCall) => void)
type Case = readonly [what: string, hostile: Hostile, outcome: string]

/** An answer with a record, and with these further lines in its head. */
const withLines = (...lines: string[]) => answerOf(record, ['HTTP/1.1 200 OK', ...lines, ''].join('\r\n'))
const withStatus = (line: string, ...lines: string[]) => answerOf(record, [line, ...lines, ''].join('\r\n'))
const withBody = (text: string) => answerOf(text)
const bare = (head: string, body = record) => `${head}\r\n\r\n${body}`
const chunked = (...chunks: string[]) =>
  bare('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked', chunks.join(''))
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const encoded = (name: string, body: Buffer) =>
  Buffer.concat([
    Buffer.from(`HTTP/1.1 200 OK\r\ncontent-encoding: ${name}\r\ncontent-length: ${body.length}\r\n\r\n`),
    body,
  ])
const closing = (bytes: string | Buffer) => (call: RawCall) => void call.socket.end(bytes)
const resetting = (bytes: string) => (call: RawCall) =>
  void call.socket.write(bytes, () => setTimeout(() => call.socket.resetAndDestroy(), 20))

/** Goes on as long as somebody listens, as fast as that one reads or with pauses. */
const endless = (head: string, more: string, everyMs?: number) => (call: RawCall) => {
  const { socket } = call
  const block = more.repeat(Math.ceil(65_536 / more.length))
  const go = () => {
    if (socket.destroyed) return
    const hasRoom = socket.write(block)
    if (everyMs !== undefined) setTimeout(go, everyMs)
    else if (hasRoom) setImmediate(go)
    else socket.once('drain', go)
  }
  socket.write(head)
  go()
}

/** Byte by byte, so many a turn of `everyMs`. */
const slowly =
  (text: string, everyMs: number, size = 1) =>
  (call: RawCall) => {
    let at = 0
    const timer = setInterval(() => {
      if (at >= text.length || call.socket.destroyed) return clearInterval(timer)
      call.socket.write(text.slice(at, at + size))
      at += size
    }, everyMs)
  }

const zeros = Buffer.alloc(16_000_000)
const repeated = (bytes: Buffer, times: number) => Buffer.concat(Array(times).fill(bytes))
/** 1 GB of zeros in 1 MB: members of a gzip file may follow each other, as may flushed blocks. */
const gzipBomb = repeated(gzipSync(zeros), 64)
const flushed = deflateRawSync(zeros, { finishFlush: constants.Z_FULL_FLUSH })
const deflateBomb = Buffer.concat([Buffer.from([0x78, 0x9c]), repeated(flushed, 64)])
/** So small that all of it has arrived before its text is too long. */
const brotliBomb = brotliCompressSync(repeated(zeros, 2), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })

const heads: Case[] = [
  ['a head without end', endless('HTTP/1.1 200 OK\r\n', `x-a: ${'a'.repeat(50)}\r\n`), 'in_doubt no_answer'],
  ['a header line without end', endless('HTTP/1.1 200 OK\r\nx-a: ', 'a'), 'in_doubt no_answer'],
  ['a status line without end', endless('HTTP/1.1 200 ', 'a'), 'in_doubt no_answer'],
  [
    '20,000 header lines',
    withLines(...Array.from({ length: 20_000 }, (_, at) => `x-${at}: a`)),
    'in_doubt no_answer',
  ],
  ['1,500 header lines', withLines(...Array.from({ length: 1_500 }, (_, at) => `x: ${at}`)), 'created'],
  ['a header name with a blank', withLines('x y: 1'), 'in_doubt no_answer'],
  ['a header name with a control character', withLines('x\u0001: 1'), 'in_doubt no_answer'],
  ['a header value with a control character', withLines('x: \u0001'), 'in_doubt no_answer'],
  ['a header value with NUL', withLines('x: a\u0000b'), 'in_doubt no_answer'],
  ['a header line without a colon', withLines('x'), 'in_doubt no_answer'],
  ['an empty header name', withLines(': 1'), 'in_doubt no_answer'],
  ['a folded header', withLines('x: a\r\n b'), 'in_doubt no_answer'],
  ['bare LF in the head', withLines('x: 1').replaceAll('\r\n', '\n'), 'in_doubt no_answer'],
  ['bare CR in a header', withLines('x: a\rb'), 'in_doubt no_answer'],
  ['a header __proto__', withLines('__proto__: 1', 'constructor: 2'), 'created'],
  ['an injected second head', closing(withLines('x: 1\r\n\r\nHTTP/1.1 200 OK')), 'in_doubt no_record_id'],
  ['a long reason phrase', withStatus(`HTTP/1.1 200 ${'x'.repeat(10_000)}`), 'created'],
  [
    'a reason phrase longer than a head may be',
    withStatus(`HTTP/1.1 200 ${'x'.repeat(100_000)}`),
    'in_doubt no_answer',
  ],
  ['no reason phrase', withStatus('HTTP/1.1 200'), 'created'],
  ['a lower-case protocol', withStatus('http/1.1 200 OK'), 'in_doubt no_answer'],
  ['HTTP/1.0', withStatus('HTTP/1.0 200 OK'), 'created'],
  ['HTTP/0.9', closing(record), 'in_doubt no_answer'],
  ['HTTP/2 in its preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'in_doubt no_answer'],
  ['HTTP/2 frames', Buffer.from('000000040000000000', 'hex'), 'in_doubt no_answer'],
  ['HTTP/9.9', withStatus('HTTP/9.9 200 OK'), 'in_doubt no_answer'],
  ['garbage', Buffer.from(Array.from({ length: 256 }, (_, at) => at)), 'in_doubt no_answer'],
  ['a request', 'POST / HTTP/1.1\r\nhost: a\r\n\r\n', 'in_doubt no_answer'],
  ['an SSH banner', 'SSH-2.0-OpenSSH_9.6\r\n', 'in_doubt no_answer'],
]

const lengths: Case[] = [
  [
    'a length longer than the body, then the end',
    closing(bare('HTTP/1.1 200 OK\r\ncontent-length: 1000')),
    'in_doubt incomplete_answer',
  ],
  [
    'a length shorter than the body',
    bare('HTTP/1.1 200 OK\r\ncontent-length: 20'),
    'in_doubt incomplete_answer',
  ],
  ['a record with garbage behind it', `${withBody(record)}garbage`, 'in_doubt incomplete_answer'],
  [
    'a refusal with garbage behind it',
    `${answerOf('no', 'HTTP/1.1 422 No\r\n')}garbage`,
    'failed http_error',
  ],
  ['a length of 0', bare('HTTP/1.1 200 OK\r\ncontent-length: 0', ''), 'in_doubt no_record_id'],
  ['a negative length', bare('HTTP/1.1 200 OK\r\ncontent-length: -5'), 'in_doubt no_answer'],
  [
    'a length with a sign',
    bare(`HTTP/1.1 200 OK\r\ncontent-length: +${record.length}`),
    'in_doubt no_answer',
  ],
  ['a length in hex', bare('HTTP/1.1 200 OK\r\ncontent-length: 0x10'), 'in_doubt no_answer'],
  ['a length that is no number', bare('HTTP/1.1 200 OK\r\ncontent-length: all'), 'in_doubt no_answer'],
  [
    'a length beyond 64 bits',
    bare('HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999'),
    'in_doubt no_answer',
  ],
  ['the same length twice', withLines(`content-length: ${record.length}`), 'in_doubt no_answer'],
  ['two lengths that differ', withLines('content-length: 5'), 'in_doubt no_answer'],
  [
    'a list of lengths',
    bare(`HTTP/1.1 200 OK\r\ncontent-length: ${record.length}, ${record.length}`),
    'in_doubt no_answer',
  ],
  [
    'a length and chunks',
    bare('HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked', `${chunk(record)}0\r\n\r\n`),
    'in_doubt no_answer',
  ],
  ['no length, then the end', closing(bare('HTTP/1.1 200 OK')), 'created'],
  [
    'half a body, no length, then the end',
    closing(bare('HTTP/1.1 200 OK', record.slice(0, 30))),
    'in_doubt no_record_id',
  ],
  ['a body without end', endless('HTTP/1.1 200 OK\r\n\r\n', '{"a":'), 'in_doubt incomplete_answer'],
  ['a refusal without end', endless('HTTP/1.1 422 No\r\n\r\n', 'no '), 'failed http_error'],
]

const chunks: Case[] = [
  ['chunks', chunked(chunk(record.slice(0, 9)), chunk(record.slice(9)), '0\r\n\r\n'), 'created'],
  [
    'chunks with extensions',
    chunked(`${record.length.toString(16)};a=b;c="d"\r\n${record}\r\n0;x\r\n\r\n`),
    'created',
  ],
  [
    'a chunk extension without end',
    endless(bare('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked', '5;a='), 'a'),
    'in_doubt incomplete_answer',
  ],
  ['a trailer', chunked(chunk(record), '0\r\nx: 1\r\n\r\n'), 'created'],
  [
    'a trailer without end',
    endless(chunked(chunk(record), '0\r\n'), 'x: 1\r\n'),
    'in_doubt incomplete_answer',
  ],
  [
    'a trailer with a control character',
    chunked(chunk(record), '0\r\nx: \u0001\r\n\r\n'),
    'in_doubt incomplete_answer',
  ],
  ['chunks that are cut', closing(chunked(chunk(record))), 'in_doubt incomplete_answer'],
  ['a chunk size that is no number', chunked('zz\r\nabc\r\n0\r\n\r\n'), 'in_doubt incomplete_answer'],
  ['a negative chunk size', chunked('-5\r\nabc\r\n0\r\n\r\n'), 'in_doubt incomplete_answer'],
  ['a chunk size beyond 64 bits', chunked('fffffffffffffffff\r\nabc\r\n'), 'in_doubt incomplete_answer'],
  ['a chunk longer than its size', chunked(`5\r\n${record}\r\n0\r\n\r\n`), 'in_doubt incomplete_answer'],
  ['an unknown transfer encoding', closing(bare('HTTP/1.1 200 OK\r\ntransfer-encoding: rot13')), 'created'],
  [
    'chunked twice',
    bare('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked, chunked', `${chunk(record)}0\r\n\r\n`),
    'created',
  ],
  [
    'chunked that is not last',
    closing(bare('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked, gzip', `${chunk(record)}0\r\n\r\n`)),
    'in_doubt no_record_id',
  ],
]

const statuses: Case[] = [
  ['201', withStatus('HTTP/1.1 201 Created'), 'created'],
  ['202', withStatus('HTTP/1.1 202 Accepted'), 'created'],
  ['203', withStatus('HTTP/1.1 203 Non-Authoritative'), 'created'],
  ['299', withStatus('HTTP/1.1 299 Odd'), 'created'],
  ['206', withStatus('HTTP/1.1 206 Partial Content'), 'in_doubt unreadable_answer'],
  [
    '206 with a range',
    withStatus('HTTP/1.1 206 Partial Content', 'content-range: bytes 0-9/99'),
    'in_doubt unreadable_answer',
  ],
  ['204', 'HTTP/1.1 204 No Content\r\n\r\n', 'in_doubt no_record_id'],
  ['204 with a body', withStatus('HTTP/1.1 204 No Content'), 'in_doubt incomplete_answer'],
  ['205', 'HTTP/1.1 205 Reset\r\ncontent-length: 0\r\n\r\n', 'in_doubt no_record_id'],
  ['205 with a body', withStatus('HTTP/1.1 205 Reset'), 'created'],
  ['304', 'HTTP/1.1 304 Not Modified\r\n\r\n', 'failed http_error, stops the run: unauthorized'],
  [
    '304 with a body',
    withStatus('HTTP/1.1 304 Not Modified'),
    'failed http_error, stops the run: unauthorized',
  ],
  ...[300, 301, 302, 303, 305, 307, 308, 399].map(
    (status): Case => [
      `${status} to another host`,
      withStatus(`HTTP/1.1 ${status} Go`, 'location: http://127.0.0.2:9/v1.0/'),
      'failed http_error, stops the run: unauthorized',
    ],
  ),
  ...[401, 403, 404, 405].map(
    (status): Case => [
      `${status} with a record`,
      withStatus(`HTTP/1.1 ${status} No`),
      'failed http_error, stops the run: unauthorized',
    ],
  ),
  ...[400, 402, 407, 409, 410, 413, 421, 422, 425, 431, 451, 499].map(
    (status): Case => [`${status} with a record`, withStatus(`HTTP/1.1 ${status} No`), 'failed http_error'],
  ),
  ...[500, 501, 502, 504, 505, 507, 511, 599, 600, 777, 999].map(
    (status): Case => [`${status} with a record`, withStatus(`HTTP/1.1 ${status} No`), 'in_doubt http_error'],
  ),
  ...['000', '099'].map(
    (status): Case => [`${status} with a record`, withStatus(`HTTP/1.1 ${status} No`), 'in_doubt http_error'],
  ),
  ['199 with a record', withStatus('HTTP/1.1 199 No'), 'in_doubt no_answer'],
  ['a status of two digits', withStatus('HTTP/1.1 20 OK'), 'in_doubt no_answer'],
  ['a status of four digits', withStatus('HTTP/1.1 2000 OK'), 'in_doubt no_answer'],
  ['a negative status', withStatus('HTTP/1.1 -20 OK'), 'in_doubt no_answer'],
]

const interim: Case[] = [
  ...[100, 102, 103].map(
    (status): Case => [
      `${status} before the answer`,
      `HTTP/1.1 ${status} Wait\r\nlink: a\r\n\r\n${withBody(record)}`,
      'created',
    ],
  ),
  ['100 with a length', `HTTP/1.1 100 Wait\r\ncontent-length: 5\r\n\r\n${withBody(record)}`, 'created'],
  [
    '101',
    'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
    'in_doubt no_answer',
  ],
  ['101 without an upgrade', 'HTTP/1.1 101 Switching\r\n\r\n', 'in_doubt http_error'],
  ['200 with an upgrade', withLines('connection: upgrade', 'upgrade: h2c'), 'created'],
  ['two answers in one packet', withBody(record) + withBody(record.replaceAll(id, other)), 'created'],
  [
    'a refusal and an answer in one packet',
    answerOf('no', 'HTTP/1.1 422 No\r\n') + withBody(record),
    'failed http_error',
  ],
]

const encodings: Case[] = [
  ['gzip', encoded('gzip', gzipSync(record)), 'created'],
  ['deflate', encoded('deflate', deflateSync(record)), 'created'],
  ['deflate without a head', encoded('deflate', deflateRawSync(record)), 'in_doubt incomplete_answer'],
  ['br', encoded('br', brotliCompressSync(record)), 'created'],
  ['GZIP', encoded('GZIP', gzipSync(record)), 'created'],
  ['x-gzip', encoded('x-gzip', gzipSync(record)), 'in_doubt unreadable_answer'],
  [
    'gzip of several members',
    encoded('gzip', Buffer.concat([gzipSync(record.slice(0, 9)), gzipSync(record.slice(9))])),
    'created',
  ],
  [
    'gzip with garbage behind it',
    encoded('gzip', Buffer.concat([gzipSync(record), Buffer.from('abc')])),
    'in_doubt incomplete_answer',
  ],
  ['gzip twice', encoded('gzip, gzip', gzipSync(gzipSync(record))), 'in_doubt unreadable_answer'],
  ['gzip that is not', encoded('gzip', Buffer.from(record)), 'in_doubt incomplete_answer'],
  ['br that is not', encoded('br', Buffer.from(record)), 'in_doubt incomplete_answer'],
  ['deflate that is not', encoded('deflate', Buffer.from(record)), 'in_doubt incomplete_answer'],
  ['gzip that is cut', encoded('gzip', gzipSync(record).subarray(0, 40)), 'in_doubt incomplete_answer'],
  ['br that is cut', encoded('br', brotliCompressSync(record).subarray(0, 40)), 'in_doubt incomplete_answer'],
  [
    'deflate that is cut',
    encoded('deflate', deflateSync(record).subarray(0, 40)),
    'in_doubt incomplete_answer',
  ],
  [
    'gzip with a wrong checksum',
    encoded('gzip', Buffer.concat([gzipSync(record).subarray(0, -8), Buffer.alloc(8)])),
    'in_doubt incomplete_answer',
  ],
  ['gzip of nothing', encoded('gzip', Buffer.alloc(0)), 'in_doubt no_record_id'],
  ['plain text that is said to be identity', encoded('identity', Buffer.from(record)), 'created'],
  ['an unknown encoding', encoded('rot13', Buffer.from(record)), 'in_doubt unreadable_answer'],
  ['gzip that is not said', withBody(gzipSync(record).toString('latin1')), 'in_doubt no_record_id'],
  ['1 GB of zeros in gzip', encoded('gzip', gzipBomb), 'in_doubt incomplete_answer'],
  ['1 GB of zeros in deflate', encoded('deflate', deflateBomb), 'in_doubt incomplete_answer'],
  [
    '64 MB of zeros in gzip',
    encoded('gzip', gzipBomb.subarray(0, gzipBomb.length / 16)),
    'in_doubt incomplete_answer',
  ],
  ['32 MB of zeros in br', encoded('br', brotliBomb), 'in_doubt incomplete_answer'],
  [
    'a refusal in gzip that is not',
    answerOf('no', 'HTTP/1.1 422 No\r\ncontent-encoding: gzip\r\n'),
    'failed http_error',
  ],
]

const bodies: Case[] = [
  ['HTML that is said to be JSON', withBody('<html>'), 'in_doubt no_record_id'],
  ['JSON that is said to be HTML', withLines('content-type: text/html'), 'created'],
  ['a BOM', withBody(`\uFEFF${record}`), 'created'],
  ['UTF-16', encoded('identity', Buffer.from(`\uFEFF${record}`, 'utf16le')), 'in_doubt no_record_id'],
  [
    'invalid UTF-8 beside the id',
    encoded('identity', Buffer.from(record.replace('}', ',"x":"\u00ff\u00c0"}'), 'latin1')),
    'created',
  ],
  ['NUL behind the record', withBody(`${record}\u0000`), 'in_doubt no_record_id'],
  ['two records', withBody(record + record), 'in_doubt no_record_id'],
  ['a list of records', withBody(`[${record}]`), 'in_doubt no_record_id'],
  ['a record in data', withBody(`{"data":${record}}`), 'in_doubt no_record_id'],
  ['two keys record_id', withBody(`{"record_id":"${other}","record_id":"${id}"}`), 'created'],
  ['an id in capitals', withBody(record.toUpperCase().replace('RECORD_ID', 'record_id')), 'created'],
  ['an id with blanks', withBody(record.replace(id, ` ${id} `)), 'in_doubt no_record_id'],
  ['an id in braces', withBody(record.replace(id, `{${id}}`)), 'in_doubt no_record_id'],
  ['an id without hyphens', withBody(record.replace(id, id.replaceAll('-', ''))), 'in_doubt no_record_id'],
  ['an id that is a number', withBody('{"record_id":7}'), 'in_doubt no_record_id'],
  ['an id that is a list', withBody(`{"record_id":["${id}"]}`), 'in_doubt no_record_id'],
  ['an id with a line break', withBody(record.replace(id, `${id}\\n`)), 'in_doubt no_record_id'],
  ['the nil id', withBody('{"record_id":"00000000-0000-0000-0000-000000000000"}'), 'in_doubt no_record_id'],
  ['an id in __proto__', withBody(`{"__proto__":${record}}`), 'in_doubt no_record_id'],
  [
    'an id beside __proto__',
    withBody(record.replace('}', ',"__proto__":{"name":"x"},"constructor":1}')),
    'created',
  ],
  ['100,000 brackets', withBody('['.repeat(100_000) + ']'.repeat(100_000)), 'in_doubt no_record_id'],
  [
    '100,000 brackets in a record',
    withBody(record.replace('}', `,"emails":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)),
    'created',
  ],
  ['100,000 brackets without an end', withBody('['.repeat(100_000)), 'in_doubt no_record_id'],
  [
    '100,000 fields of its own',
    withBody(record.replace('}', `${Array.from({ length: 100_000 }, (_, at) => `,"x${at}":1`).join('')}}`)),
    'created',
  ],
  [
    '100,000 e-mail addresses that are none',
    withBody(record.replace('}', `,"emails":[${Array(100_000).fill('1').join()}]}`)),
    'created',
  ],
  [
    'a number with a million digits',
    withBody(record.replace('}', `,"organization_id":${'9'.repeat(1_000_000)}}`)),
    'created',
  ],
  ['another name', withBody(record.replace('Ada', 'Bob')), 'in_doubt answer_of_other_row'],
  ['1 MB', withBody(record.replace('}', `,"x":"${'x'.repeat(1_000_000)}"}`)), 'created'],
  ['17 MB', withBody(record.replace('}', `,"x":"${'x'.repeat(17_000_000)}"}`)), 'in_doubt incomplete_answer'],
]

const retryAfter = (value: string, ...more: string[]) =>
  withStatus('HTTP/1.1 429 Slow', `retry-after: ${value}`, ...more)
const again = 'created at attempt 2'
const later = 'failed http_error, stops the run: asked_to_wait'
const waits: Case[] = [
  ['5', retryAfter('5'), again],
  ['0', retryAfter('0'), again],
  ['1.5', retryAfter('1.5'), again],
  ['-5', retryAfter('-5'), again],
  ['nothing', retryAfter(''), again],
  ['600', retryAfter('600'), again],
  ['601', retryAfter('601'), later],
  ['1e9', retryAfter('1e9'), again],
  ['a number of 400 digits', retryAfter('9'.repeat(400)), later],
  ['Infinity', retryAfter('Infinity'), again],
  ['NaN', retryAfter('NaN'), again],
  ['0x7fffffff', retryAfter('0x7fffffff'), again],
  ['a date in the past', retryAfter('Fri, 20 Nov 2020 08:00:00 GMT'), again],
  ['a date in a minute', retryAfter('Sat, 21 Nov 2026 08:01:00 GMT'), again],
  ['a date in a day', retryAfter('Sun, 22 Nov 2026 08:00:00 GMT'), later],
  ['a date of RFC 850', retryAfter('Sunday, 22-Nov-26 08:00:00 GMT'), later],
  ['a date of asctime', retryAfter('Sun Nov 22 08:00:00 2026'), later],
  ['a date of ISO 8601', retryAfter('2026-11-22T08:00:00Z'), later],
  ['a year', retryAfter('year 2099'), again],
  ['words with a number', retryAfter('wait 2500'), again],
  ['5 seconds', retryAfter('5 seconds'), again],
  ['a list', retryAfter('5, 9000'), again],
  ['5 and then 9000', retryAfter('5', 'retry-after: 9000'), again],
  ['9000 and then 5', retryAfter('9000', 'retry-after: 5'), later],
  ['garbage', retryAfter('\u00ff\u00fe'), again],
]

const connections: Case[] = [
  ['the end', closing(''), 'in_doubt no_answer'],
  ['a reset', resetting(''), 'in_doubt no_answer'],
  ['half a head, then the end', closing('HTTP/1.1 200 OK\r\ncontent-'), 'in_doubt no_answer'],
  ['half a head, then a reset', resetting('HTTP/1.1 200 OK\r\ncontent-'), 'in_doubt no_answer'],
  ['half a body, then a reset', resetting(withBody(record).slice(0, -20)), 'in_doubt incomplete_answer'],
  ['a throttled answer that is cut', closing(withStatus('HTTP/1.1 429 Slow').slice(0, -20)), again],
  ['byte by byte within the timeout', slowly(withBody(record), 1, 20), 'created'],
]

/** They end with the timeout of the attempt. */
const silence: Case[] = [
  ['chunks of one byte without end', endless(chunked(), '1\r\na\r\n', 50), 'in_doubt'],
  [
    'a length longer than the body, then silence',
    bare('HTTP/1.1 200 OK\r\ncontent-length: 1000'),
    'in_doubt',
  ],
  ['a length of 8 EB', bare('HTTP/1.1 200 OK\r\ncontent-length: 9223372036854775807'), 'in_doubt'],
  ['no length, then silence', bare('HTTP/1.1 200 OK'), 'in_doubt'],
  ['chunks that stop', chunked(chunk(record)), 'in_doubt'],
  ['a chunk shorter than its size', chunked(`ff\r\n${record}\r\n0\r\n\r\n`), 'in_doubt'],
  ['nothing', () => {}, 'in_doubt'],
  ['half a head, then silence', 'HTTP/1.1 200 OK\r\ncontent-', 'in_doubt'],
  ['byte by byte beyond the timeout', slowly(withBody(record), 200), 'in_doubt'],
  [
    'a body byte by byte beyond the timeout',
    slowly(`HTTP/1.1 200 OK\r\n\r\n`.padEnd(100), 100, 20),
    'in_doubt',
  ],
  ...[100, 102, 103].map(
    (status): Case => [
      `${status} without end`,
      endless('', `HTTP/1.1 ${status} Wait\r\n\r\n`, 50),
      'in_doubt',
    ],
  ),
]

const table = { heads, lengths, chunks, statuses, interim, encodings, bodies, waits, connections, silence }
const results = new Map<Case, string>()

async function outcomeAt(url: string, timeoutMs: number, isGoodNext = true): Promise<string> {
  const { send, stop } = senderTo(url, { timeoutMs, retries: 1 })
  const end = await send('Ada')
  const code = end !== undefined && 'errors' in end ? ` ${end.errors[0]?.code}` : ''
  const made = end !== undefined && 'attempts' in end ? end.attempts : 0
  const attempts = made > 1 ? ` at attempt ${made}` : ''
  const outcome = `${end?.status}${code}${attempts}`
  if (stop.reason !== undefined) return `${outcome}, stops the run: ${stop.reason.code}`
  const next = isGoodNext ? await send('Next') : undefined
  return isGoodNext && next?.status !== 'created' ? `${outcome}, and the next call fails` : outcome
}

/** A service that is hostile once, and then good. */
async function outcomeOf(hostile: Hostile): Promise<string> {
  let calls = 0
  const { url } = await startRawService(call => {
    calls += 1
    const { name, socket } = call
    if (calls > 1) socket.write(answerOf({ record_id: `${id.slice(0, -1)}${calls}`, name }))
    else react(hostile, call)
  })
  return outcomeAt(url, 50_000)
}

/** A service that is always hostile: only the timeout ends the call, on a busy machine at any point of it. */
async function statusOf(hostile: Hostile): Promise<string> {
  const { url } = await startRawService(call => react(hostile, call))
  return `${(await senderTo(url, { timeoutMs: 1_500 }).send())?.status}`
}

function react(hostile: Hostile, call: RawCall): void {
  if (typeof hostile === 'function') hostile(call)
  else call.socket.write(hostile)
}

beforeAll(async () => {
  const { silence, ...others } = table
  const note = async (each: Case, outcome: Promise<string>) => void results.set(each, await outcome)
  const cases: Case[] = Object.values(others).flat()
  await Promise.all(cases.map(each => note(each, outcomeOf(each[1]))))
  await Promise.all(silence.map(each => note(each, statusOf(each[1]))))
}, 60_000)

describe.each(Object.entries(table))('%s', (_name, cases) => {
  it.each(cases.map(each => [each[0], each[2], each] as const))('%s: %s', (_what, outcome, each) => {
    expect(results.get(each)).toBe(outcome)
  })
})

const inTls = (name: string) => readFileSync(new URL(`../../support/tls/${name}`, import.meta.url))
const notReached = 'failed never_reached at attempt 2'

describe('connection', () => {
  const certificate = { key: inTls('key.pem'), cert: inTls('cert.pem') }
  const reset = (socket: Socket) => void socket.resetAndDestroy()
  const onByte = (socket: Socket) => void socket.once('data', () => socket.resetAndDestroy())
  it.each([
    ['that is reset at the first byte', 'http', () => createServer(onByte), 'in_doubt no_answer'],
    ['that is closed at once', 'http', () => createServer(socket => void socket.end()), 'in_doubt no_answer'],
    ['with a certificate that nobody signed', 'https', () => createTlsServer(certificate), notReached],
    ['that is reset in its handshake', 'https', () => createServer(reset), notReached],
    ['that is silent in its handshake', 'https', () => createServer(), notReached],
    ['without TLS', 'https', () => createServer(socket => void socket.end(withBody(record))), notReached],
    ['with TLS where none is expected', 'http', () => createTlsServer(certificate), 'in_doubt no_answer'],
  ])('a connection %s', async (_what, scheme, makeServer, outcome) => {
    const { url } = await listening(makeServer(), scheme)
    expect(await outcomeAt(url, 500, false)).toBe(outcome)
  })

  it('a connection that is reset at once shows whether a byte had left', async () => {
    const { url } = await listening(createServer(reset))
    expect(['in_doubt no_answer', notReached]).toContain(await outcomeAt(url, 500, false))
  })

  it('a connection to a closed port is never reached', async () => {
    const { port } = await startRawService(() => {})
    await cleanUp()
    expect(await outcomeAt(`http://127.0.0.1:${port}`, 500, false)).toBe(notReached)
  })
})
