// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import test from 'node:test'
import { ClientKeys, clientKeyOf } from './client-key.ts'

function requestFrom(peer: string, forwarded?: string): IncomingMessage {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: peer })
  const request = new IncomingMessage(socket)
  if (forwarded !== undefined) request.headers['x-forwarded-for'] = forwarded
  return request
}

test('an address of IPv4 is a client, also where it is written as one of IPv6', () => {
  assert.equal(clientKeyOf('127.0.0.1'), '127.0.0.1')
  assert.equal(clientKeyOf('::ffff:127.0.0.1'), '127.0.0.1')
})

test('a network of 64 bits is one client of IPv6', () => {
  assert.equal(clientKeyOf('2001:db8:0:7::1'), clientKeyOf('2001:db8:0:7:ffff::2'))
  assert.notEqual(clientKeyOf('2001:db8:0:7::1'), clientKeyOf('2001:db8:0:8::1'))
})

test('a forwarded address counts only where the peer is a proxy that is trusted', () => {
  const plain = new ClientKeys([])
  const trusting = new ClientKeys(['loopback'])
  assert.equal(plain.of(requestFrom('127.0.0.1', '192.0.2.1')), '127.0.0.1')
  assert.equal(trusting.of(requestFrom('127.0.0.1', '192.0.2.1')), '192.0.2.1')
  assert.equal(trusting.of(requestFrom('198.51.100.1', '192.0.2.1')), '198.51.100.1')
  // What a client claims before its own address is not believed.
  assert.equal(trusting.of(requestFrom('127.0.0.1', '192.0.2.9, 192.0.2.1')), '192.0.2.1')
  assert.equal(trusting.of(requestFrom('127.0.0.1', 'nonsense')), 'none')
})

test('a proxy that is no address is refused', () => {
  assert.throws(() => new ClientKeys(['example.org']), TypeError)
})
