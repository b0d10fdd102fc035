import type { None } from './problem.ts'

/** What is wrong with the token, the address of the service, or the way there. */
export interface ServiceUsage {
  no_token: None
  token_twice: None
  /** The file of the token, or the program that prints it; undefined for the environment or the option. */
  empty_token: { file: string | undefined }
  bad_token: { file: string | undefined }
  /** Its exit code, the signal that ended it, or the system's code. */
  token_command_failed: { program: string; end: number | string }
  bad_base_url: None
  insecure_base_url: { origin: string }
  bad_proxy: None
  service_not_reached: { reason: string }
}
