// SPDX-License-Identifier: Apache-2.0
import type { Address } from './address.ts'

/** What every view is given. */
export type ViewProps = { readonly address: Address }
