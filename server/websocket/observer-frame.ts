// SPDX-License-Identifier: Apache-2.0

import { ServerError } from '../errors/server-error.ts'
import { SERVER_LIMITS } from '../limits.ts'
import type { ObservationRequest } from '../observers/socket-observations.ts'

/** A worker gives up a notification. */
export type GivingUp = { readonly notification: string; readonly error: string | undefined }

type Fields = { readonly [name: string]: unknown }

/** The fields of `observe`, their names known. Throws `invalid_request`. */
export function readObservation(fields: Fields): ObservationRequest {
  const { socketWorkersMax, observerLeaseMsDefault, observerLeaseMsMax } = SERVER_LIMITS
  const { integers = 'number' } = fields
  if (integers !== 'number' && integers !== 'string') {
    throw invalid('integers', 'one of number, string')
  }
  return {
    observer: textOf(fields, 'observer'),
    workers: countOf(fields, 'workers', { most: socketWorkersMax, byDefault: 1 }),
    leaseMs: countOf(fields, 'leaseMs', {
      most: observerLeaseMsMax,
      byDefault: observerLeaseMsDefault,
    }),
    integers,
  }
}

/** The fields of `release`, their names known. Throws `invalid_request`. */
export function readGivingUp(fields: Fields): GivingUp {
  const error = fields.error === undefined ? undefined : textOf(fields, 'error')
  return { notification: textOf(fields, 'notification'), error }
}

/** Throws `invalid_request` for what is no text, or empty. */
export function textOf(fields: Fields, name: string): string {
  const value = fields[name]
  if (typeof value === 'string' && value !== '') return value
  throw invalid(name, 'a text that is not empty')
}

function countOf(
  fields: Fields,
  name: string,
  { most, byDefault }: { readonly most: number; readonly byDefault: number },
): number {
  const { [name]: value = byDefault } = fields
  if (Number.isSafeInteger(value) && (value as number) > 0 && (value as number) <= most) {
    return value as number
  }
  throw invalid(name, `a whole number from 1 to ${most}`)
}

function invalid(name: string, wanted: string): ServerError {
  return new ServerError('invalid_request', `The frame's "${name}" must be ${wanted}.`)
}
