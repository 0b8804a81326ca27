// SPDX-License-Identifier: Apache-2.0

// The calls and messages of etcd's API (version 3, `api/etcdserverpb/rpc.proto` and `api/mvccpb/kv.proto` of its
// sources) that the engine uses, with the fields that it uses.

type Field = { readonly type: string; readonly id: number; readonly rule?: 'repeated' }

const HEADER: Field = { type: 'ResponseHeader', id: 1 }

type Fields = Readonly<Record<string, string>>

/** Types by the names of the fields, whose numbers are counted from 1; `[]` behind a type: repeated. */
function message(types: Fields) {
  const fields = Object.entries(types).map(([name, type], at): [string, Field] => {
    const [, one = type, many] = /^(.*?)(\[\])?$/.exec(type) ?? []
    return [name, { type: one, id: at + 1, ...(many === undefined ? {} : { rule: 'repeated' }) }]
  })
  return { fields: Object.fromEntries(fields) }
}

/** One of the fields is set. */
function choice(name: string, types: Fields) {
  return { oneofs: { [name]: { oneof: Object.keys(types) } }, ...message(types) }
}

const ETCDSERVERPB = {
  ResponseHeader: {
    fields: { revision: { type: 'int64', id: 3 } },
  },
  RangeRequest: {
    fields: {
      ...message({ key: 'bytes', rangeEnd: 'bytes', limit: 'int64', revision: 'int64' }).fields,
      sortOrder: { type: 'SortOrder', id: 5 },
      minModRevision: { type: 'int64', id: 10 },
    },
  },
  SortOrder: { values: { NONE: 0, ASCEND: 1, DESCEND: 2 } },
  RangeResponse: {
    fields: {
      header: HEADER,
      kvs: { rule: 'repeated', type: 'mvccpb.KeyValue', id: 2 },
      more: { type: 'bool', id: 3 },
    },
  },
  PutRequest: message({ key: 'bytes', value: 'bytes' }),
  PutResponse: { fields: { header: HEADER } },
  DeleteRangeRequest: message({ key: 'bytes', rangeEnd: 'bytes' }),
  DeleteRangeResponse: { fields: { header: HEADER } },
  RequestOp: choice('request', {
    requestRange: 'RangeRequest',
    requestPut: 'PutRequest',
    requestDeleteRange: 'DeleteRangeRequest',
    requestTxn: 'TxnRequest',
  }),
  ResponseOp: choice('response', {
    responseRange: 'RangeResponse',
    responsePut: 'PutResponse',
    responseDeleteRange: 'DeleteRangeResponse',
    responseTxn: 'TxnResponse',
  }),
  Compare: {
    fields: {
      result: { type: 'CompareResult', id: 1 },
      target: { type: 'CompareTarget', id: 2 },
      key: { type: 'bytes', id: 3 },
      version: { type: 'int64', id: 4 },
      modRevision: { type: 'int64', id: 6 },
      value: { type: 'bytes', id: 7 },
      rangeEnd: { type: 'bytes', id: 64 },
    },
  },
  CompareResult: { values: { EQUAL: 0, GREATER: 1, LESS: 2 } },
  CompareTarget: { values: { VERSION: 0, CREATE: 1, MOD: 2, VALUE: 3 } },
  TxnRequest: message({ compare: 'Compare[]', success: 'RequestOp[]', failure: 'RequestOp[]' }),
  TxnResponse: {
    fields: {
      header: HEADER,
      succeeded: { type: 'bool', id: 2 },
      responses: { rule: 'repeated', type: 'ResponseOp', id: 3 },
    },
  },
  WatchCreateRequest: {
    fields: {
      key: { type: 'bytes', id: 1 },
      rangeEnd: { type: 'bytes', id: 2 },
      filters: { rule: 'repeated', type: 'WatchFilter', id: 5 },
    },
  },
  WatchFilter: { values: { NOPUT: 0, NODELETE: 1 } },
  WatchRequest: choice('request', { createRequest: 'WatchCreateRequest' }),
  // Of the events only that there are some.
  WatchResponse: {
    fields: { created: { type: 'bool', id: 3 }, canceled: { type: 'bool', id: 4 } },
  },
  CompactionRequest: message({ revision: 'int64' }),
  CompactionResponse: { fields: { header: HEADER } },
  AuthenticateRequest: message({ name: 'string', password: 'string' }),
  AuthenticateResponse: { fields: { header: HEADER, token: { type: 'string', id: 2 } } },
  KV: {
    methods: {
      Range: { requestType: 'RangeRequest', responseType: 'RangeResponse' },
      Txn: { requestType: 'TxnRequest', responseType: 'TxnResponse' },
      Compact: { requestType: 'CompactionRequest', responseType: 'CompactionResponse' },
    },
  },
  Watch: {
    methods: {
      Watch: {
        requestType: 'WatchRequest',
        requestStream: true,
        responseType: 'WatchResponse',
        responseStream: true,
      },
    },
  },
  Auth: {
    methods: {
      Authenticate: { requestType: 'AuthenticateRequest', responseType: 'AuthenticateResponse' },
    },
  },
}

const MVCCPB = {
  KeyValue: {
    fields: {
      key: { type: 'bytes', id: 1 },
      modRevision: { type: 'int64', id: 3 },
      value: { type: 'bytes', id: 5 },
    },
  },
}

export const SERVICES = ['etcdserverpb.KV', 'etcdserverpb.Watch', 'etcdserverpb.Auth']
export const DESCRIPTORS = {
  nested: { etcdserverpb: { nested: ETCDSERVERPB }, mvccpb: { nested: MVCCPB } },
}
