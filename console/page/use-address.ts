// SPDX-License-Identifier: Apache-2.0
import { useEffect, useState } from 'preact/hooks'
import { type Address, addressOf, hashOf } from './address.ts'

/** Where the address bar is. */
export function useAddress(): Address {
  const [address, setAddress] = useState(() => addressOf(location.hash))
  useEffect(() => {
    const ending = new AbortController()
    const changed = () => setAddress(addressOf(location.hash))
    addEventListener('hashchange', changed, { signal: ending.signal })
    return () => ending.abort()
  }, [])
  return address
}

/** Goes there, as a link does. */
export function goTo(address: Partial<Address>): void {
  location.hash = hashOf(address)
}
