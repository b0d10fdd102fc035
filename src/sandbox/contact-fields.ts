import { z } from 'zod'
import { commonFields, contactReference, nullableNumber, nullableText } from './shared-fields.ts'

/**
 * What a body may say of a contact: the fields of interface 2.1 less those that only the service sets.
 * None is required (interface 2.8); fields outside it are passed over, as a service would.
 */
export const contactFields = z.object({
  ...commonFields,
  designation: nullableText,
  avatar_url: nullableText,
  parent: contactReference.nullable().optional(),
  address: nullableText,
  address_lat: nullableNumber,
  address_lng: nullableNumber,
  emails: z.array(z.object({ email: z.string() })).optional(),
  phones: z.array(z.object({ phone_number: z.string() })).optional(),
  url_details: z
    .object({
      domain: nullableText,
      twitter_url: nullableText,
      linkedin_url: nullableText,
      facebook_url: nullableText,
      github_url: nullableText,
      instagram_url: nullableText,
    })
    .optional(),
})

export type ContactFields = z.infer<typeof contactFields>

/** The only sub-type that was observed in an answer (interface 2.1). */
export const defaultContactSubType = 'person'
