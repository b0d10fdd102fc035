import type { ServiceUsage } from '../../model/service-usage.ts'
import type { Catalogue } from './sentence.ts'

/** By the code of the system, of TLS, or of the proxy. */
const waysToService: readonly (readonly [RegExp, string])[] = [
  [/TIMEDOUT|UNREACH/, 'ask for a way through the firewall, or for a proxy (HTTPS_PROXY)'],
  [/407$/, 'give its variable user and password: http://user:password@proxy.example.com:3128'],
  [/ALTNAME/, 'its certificate is that of another name: check the address'],
  [/WRONG_VERSION/, 'it speaks no TLS there: check the port'],
  [/EXPIRED/, 'have the certificate renewed'],
  [/SELF_SIGNED|UNABLE_TO/, 'name a file of its authority in NODE_EXTRA_CA_CERTS'],
  [/^/, 'check its address, the proxy and the name server'],
]

const commandEnds: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such program',
  EACCES: 'no permission to run it',
  SIGKILL: 'it was killed, as after 60 s',
  ERR_INVALID_ARG_VALUE: 'it is not the name of a program',
  ERR_CHILD_PROCESS_STDIO_MAXBUFFER: 'it printed more than 1 MB',
}

/** Sentences about the token, the address of the service, and the way there. */
export const serviceWords: Catalogue<ServiceUsage> = {
  no_token: (_, { option, token }) => [
    'no token',
    `put the bearer token into ${token}, into a file named by ${option('token-file')}, or let ${option('token-command')} print it`,
  ],
  token_twice: (_, { option }) => `give ${option('token-file')} or ${option('token-command')}, not both`,
  empty_token: ({ file }, { token }) => [
    `${file ?? token}: contains no token`,
    'give the bearer token alone',
  ],
  bad_token: ({ file }, { token }) => [
    `${file ?? token}: contains characters that a token cannot have`,
    'give the bearer token alone',
  ],
  token_command_failed: ({ program, end }, { option }) => [
    `${program}: printed no token (${commandEnds[end] ?? (typeof end === 'number' ? `exit code ${end}` : end)})`,
    `try by hand what ${option('token-command')} says: it must print the token, ask nothing, and end with exit code 0`,
  ],
  bad_base_url: (_, { option }) => [
    `${option('base-url')}: is not a web address without user, password, query and fragment`,
    'give one such as https://api.example.com',
  ],
  insecure_base_url: ({ origin }, { option }) => [
    `${option('base-url')}: ${origin} would send the token unencrypted`,
    `use https://, or allow it with ${option('allow-http')}`,
  ],
  bad_proxy: () => [
    'the proxy in HTTPS_PROXY, HTTP_PROXY or ALL_PROXY is not an address such as http://proxy.example.com:3128',
    'give one, or add the service to NO_PROXY',
  ],

  service_not_reached: ({ reason }) => [
    `the service is not reached (${reason})`,
    `${waysToService.find(([known]) => known.test(reason))?.[1]}`,
  ],
}
