// SPDX-License-Identifier: Apache-2.0

/** The tax status of an account: gains are not taxed, taxed and withheld, or taxed and paid later. */
export function isTaxable(taxStatus: number): boolean {
  return taxStatus === 1 || taxStatus === 2
}
