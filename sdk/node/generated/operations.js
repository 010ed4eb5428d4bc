// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.

/** @type {Readonly<Record<string, Readonly<Record<string, import('../types.js').OperationEntry>>>>} */
export const operations = {
  publicDevices: {
    create: {
      method: "POST",
      path: "/api/v1/public/devices",
      ids: 0,
      body: "json",
      query: false,
      takesKey: false,
      answer: "json"
    },
    delete: {
      method: "DELETE",
      path: "/api/v1/public/devices",
      ids: 0,
      body: "json",
      query: false,
      takesKey: false,
      answer: "json"
    }
  },
  devices: {
    list: { method: "GET", path: "/api/v1/devices", ids: 0, body: null, query: true, takesKey: false, answer: "page" },
    get: {
      method: "GET",
      path: "/api/v1/devices/{id}",
      ids: 1,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    update: {
      method: "PATCH",
      path: "/api/v1/devices/{id}",
      ids: 1,
      body: "json",
      query: false,
      takesKey: false,
      answer: "json"
    },
    delete: {
      method: "DELETE",
      path: "/api/v1/devices/{id}",
      ids: 1,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    import: {
      method: "POST",
      path: "/api/v1/devices/import",
      ids: 0,
      body: "lines",
      query: false,
      takesKey: false,
      answer: "lines"
    },
    export: {
      method: "GET",
      path: "/api/v1/devices/export",
      ids: 0,
      body: null,
      query: true,
      takesKey: false,
      answer: "lines"
    }
  },
  events: {
    create: {
      method: "POST",
      path: "/api/v1/events",
      ids: 0,
      body: "json",
      query: false,
      takesKey: false,
      answer: "json"
    },
    custom: {
      method: "POST",
      path: "/api/v1/events/custom",
      ids: 0,
      body: "json",
      query: false,
      takesKey: true,
      answer: "json"
    }
  },
  track: {
    create: {
      method: "POST",
      path: "/api/v1/track",
      ids: 0,
      body: "json",
      query: false,
      takesKey: false,
      answer: "json"
    }
  },
  channels: {
    create: {
      method: "POST",
      path: "/api/v1/channels",
      ids: 0,
      body: "json",
      query: false,
      takesKey: true,
      answer: "json"
    },
    list: { method: "GET", path: "/api/v1/channels", ids: 0, body: null, query: true, takesKey: false, answer: "page" },
    get: {
      method: "GET",
      path: "/api/v1/channels/{id}",
      ids: 1,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    update: {
      method: "PATCH",
      path: "/api/v1/channels/{id}",
      ids: 1,
      body: "json",
      query: false,
      takesKey: false,
      answer: "json"
    },
    delete: {
      method: "DELETE",
      path: "/api/v1/channels/{id}",
      ids: 1,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    }
  },
  contacts: {
    create: {
      method: "POST",
      path: "/api/v1/contacts",
      ids: 0,
      body: "json",
      query: false,
      takesKey: true,
      answer: "json"
    },
    list: { method: "GET", path: "/api/v1/contacts", ids: 0, body: null, query: true, takesKey: false, answer: "page" },
    bulk: {
      method: "POST",
      path: "/api/v1/contacts/bulk",
      ids: 0,
      body: "json",
      query: false,
      takesKey: true,
      answer: "json"
    },
    tagsMany: {
      method: "POST",
      path: "/api/v1/contacts/tags",
      ids: 0,
      body: "json",
      query: false,
      takesKey: true,
      answer: "json"
    },
    import: {
      method: "POST",
      path: "/api/v1/contacts/import",
      ids: 0,
      body: "lines",
      query: false,
      takesKey: false,
      answer: "lines"
    },
    tags: {
      method: "POST",
      path: "/api/v1/contacts/{id}/tags",
      ids: 1,
      body: "json",
      query: false,
      takesKey: true,
      answer: "json"
    },
    get: {
      method: "GET",
      path: "/api/v1/contacts/{id}",
      ids: 1,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    update: {
      method: "PATCH",
      path: "/api/v1/contacts/{id}",
      ids: 1,
      body: "json",
      query: false,
      takesKey: false,
      answer: "json"
    },
    delete: {
      method: "DELETE",
      path: "/api/v1/contacts/{id}",
      ids: 1,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    preferences: {
      method: "GET",
      path: "/api/v1/contacts/{id}/preferences",
      ids: 1,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    updatePreferences: {
      method: "PATCH",
      path: "/api/v1/contacts/{id}/preferences",
      ids: 1,
      body: "json",
      query: false,
      takesKey: false,
      answer: "json"
    },
    tagsByExternalId: {
      method: "POST",
      path: "/api/v1/contacts/by-external-id/{external_id}/tags",
      ids: 1,
      body: "json",
      query: false,
      takesKey: true,
      answer: "json"
    },
    getByExternalId: {
      method: "GET",
      path: "/api/v1/contacts/by-external-id/{external_id}",
      ids: 1,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    updateByExternalId: {
      method: "PATCH",
      path: "/api/v1/contacts/by-external-id/{external_id}",
      ids: 1,
      body: "json",
      query: false,
      takesKey: false,
      answer: "json"
    },
    deleteByExternalId: {
      method: "DELETE",
      path: "/api/v1/contacts/by-external-id/{external_id}",
      ids: 1,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    preferencesByExternalId: {
      method: "GET",
      path: "/api/v1/contacts/by-external-id/{external_id}/preferences",
      ids: 1,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    updatePreferencesByExternalId: {
      method: "PATCH",
      path: "/api/v1/contacts/by-external-id/{external_id}/preferences",
      ids: 1,
      body: "json",
      query: false,
      takesKey: false,
      answer: "json"
    }
  },
  publicInbox: {
    list: {
      method: "GET",
      path: "/api/v1/public/inbox",
      ids: 0,
      body: null,
      query: true,
      takesKey: false,
      answer: "page"
    },
    unreadCount: {
      method: "GET",
      path: "/api/v1/public/inbox/unread_count",
      ids: 0,
      body: null,
      query: true,
      takesKey: false,
      answer: "json"
    },
    read: {
      method: "POST",
      path: "/api/v1/public/inbox/{id}/read",
      ids: 1,
      body: null,
      query: true,
      takesKey: false,
      answer: "json"
    },
    readAll: {
      method: "POST",
      path: "/api/v1/public/inbox/read_all",
      ids: 0,
      body: null,
      query: true,
      takesKey: false,
      answer: "json"
    }
  },
  inbox: {
    createMessages: {
      method: "POST",
      path: "/api/v1/inbox/messages",
      ids: 0,
      body: "json",
      query: false,
      takesKey: true,
      answer: "json"
    }
  },
  notifications: {
    cancel: {
      method: "POST",
      path: "/api/v1/notifications/{id}/cancel",
      ids: 1,
      body: null,
      query: false,
      takesKey: true,
      answer: "json"
    },
    pause: {
      method: "POST",
      path: "/api/v1/notifications/{id}/pause",
      ids: 1,
      body: null,
      query: false,
      takesKey: true,
      answer: "json"
    },
    resume: {
      method: "POST",
      path: "/api/v1/notifications/{id}/resume",
      ids: 1,
      body: null,
      query: false,
      takesKey: true,
      answer: "json"
    },
    create: {
      method: "POST",
      path: "/api/v1/notifications",
      ids: 0,
      body: "json",
      query: false,
      takesKey: true,
      answer: "json"
    },
    list: {
      method: "GET",
      path: "/api/v1/notifications",
      ids: 0,
      body: null,
      query: true,
      takesKey: false,
      answer: "page"
    },
    preview: {
      method: "POST",
      path: "/api/v1/notifications/preview",
      ids: 0,
      body: "json",
      query: false,
      takesKey: true,
      answer: "json"
    },
    get: {
      method: "GET",
      path: "/api/v1/notifications/{id}",
      ids: 1,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    update: {
      method: "PATCH",
      path: "/api/v1/notifications/{id}",
      ids: 1,
      body: "json",
      query: false,
      takesKey: false,
      answer: "json"
    },
    deliveries: {
      method: "GET",
      path: "/api/v1/notifications/{id}/deliveries",
      ids: 1,
      body: null,
      query: true,
      takesKey: false,
      answer: "page"
    },
    outcomes: {
      method: "GET",
      path: "/api/v1/notifications/{id}/outcomes",
      ids: 1,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    retries: {
      method: "GET",
      path: "/api/v1/notifications/{id}/retries",
      ids: 1,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    stats: {
      method: "GET",
      path: "/api/v1/notifications/{id}/stats",
      ids: 1,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    webhookDeliveries: {
      method: "GET",
      path: "/api/v1/notifications/{id}/webhook-deliveries",
      ids: 1,
      body: null,
      query: true,
      takesKey: false,
      answer: "json"
    }
  },
  templates: {
    create: {
      method: "POST",
      path: "/api/v1/templates",
      ids: 0,
      body: "json",
      query: false,
      takesKey: true,
      answer: "json"
    },
    list: {
      method: "GET",
      path: "/api/v1/templates",
      ids: 0,
      body: null,
      query: true,
      takesKey: false,
      answer: "page"
    },
    previewMany: {
      method: "POST",
      path: "/api/v1/templates/preview",
      ids: 0,
      body: "json",
      query: false,
      takesKey: true,
      answer: "json"
    },
    get: {
      method: "GET",
      path: "/api/v1/templates/{id}",
      ids: 1,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    update: {
      method: "PATCH",
      path: "/api/v1/templates/{id}",
      ids: 1,
      body: "json",
      query: false,
      takesKey: false,
      answer: "json"
    },
    delete: {
      method: "DELETE",
      path: "/api/v1/templates/{id}",
      ids: 1,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    versions: {
      method: "GET",
      path: "/api/v1/templates/{id}/versions",
      ids: 1,
      body: null,
      query: false,
      takesKey: false,
      answer: "page"
    },
    getVersion: {
      method: "GET",
      path: "/api/v1/templates/versions/{id}",
      ids: 1,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    preview: {
      method: "POST",
      path: "/api/v1/templates/{id}/preview",
      ids: 1,
      body: "json",
      query: false,
      takesKey: true,
      answer: "json"
    }
  },
  segments: {
    create: {
      method: "POST",
      path: "/api/v1/segments",
      ids: 0,
      body: "json",
      query: false,
      takesKey: true,
      answer: "json"
    },
    list: { method: "GET", path: "/api/v1/segments", ids: 0, body: null, query: true, takesKey: false, answer: "page" },
    countMany: {
      method: "POST",
      path: "/api/v1/segments/count",
      ids: 0,
      body: "json",
      query: false,
      takesKey: true,
      answer: "json"
    },
    get: {
      method: "GET",
      path: "/api/v1/segments/{id}",
      ids: 1,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    update: {
      method: "PATCH",
      path: "/api/v1/segments/{id}",
      ids: 1,
      body: "json",
      query: false,
      takesKey: false,
      answer: "json"
    },
    delete: {
      method: "DELETE",
      path: "/api/v1/segments/{id}",
      ids: 1,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    count: {
      method: "GET",
      path: "/api/v1/segments/{id}/count",
      ids: 1,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    }
  },
  workflows: {
    create: {
      method: "POST",
      path: "/api/v1/workflows",
      ids: 0,
      body: "json",
      query: false,
      takesKey: true,
      answer: "json"
    },
    list: {
      method: "GET",
      path: "/api/v1/workflows",
      ids: 0,
      body: null,
      query: true,
      takesKey: false,
      answer: "page"
    },
    get: {
      method: "GET",
      path: "/api/v1/workflows/{id}",
      ids: 1,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    update: {
      method: "PATCH",
      path: "/api/v1/workflows/{id}",
      ids: 1,
      body: "json",
      query: false,
      takesKey: false,
      answer: "json"
    },
    delete: {
      method: "DELETE",
      path: "/api/v1/workflows/{id}",
      ids: 1,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    statistics: {
      method: "GET",
      path: "/api/v1/workflows/{id}/statistics",
      ids: 1,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    versions: {
      method: "GET",
      path: "/api/v1/workflows/{id}/versions",
      ids: 1,
      body: null,
      query: true,
      takesKey: false,
      answer: "page"
    },
    version: {
      method: "GET",
      path: "/api/v1/workflows/{id}/version",
      ids: 1,
      body: null,
      query: true,
      takesKey: false,
      answer: "json"
    },
    activate: {
      method: "POST",
      path: "/api/v1/workflows/{id}/activate",
      ids: 1,
      body: null,
      query: false,
      takesKey: true,
      answer: "json"
    },
    archive: {
      method: "POST",
      path: "/api/v1/workflows/{id}/archive",
      ids: 1,
      body: null,
      query: false,
      takesKey: true,
      answer: "json"
    },
    trigger: {
      method: "POST",
      path: "/api/v1/workflows/{id}/trigger",
      ids: 1,
      body: "json",
      query: false,
      takesKey: true,
      answer: "json"
    },
    dryRun: {
      method: "POST",
      path: "/api/v1/workflows/{id}/dry-run",
      ids: 1,
      body: "json",
      query: false,
      takesKey: true,
      answer: "json"
    }
  },
  executions: {
    list: {
      method: "GET",
      path: "/api/v1/executions",
      ids: 0,
      body: null,
      query: true,
      takesKey: false,
      answer: "page"
    },
    get: {
      method: "GET",
      path: "/api/v1/executions/{id}",
      ids: 1,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    cancelMany: {
      method: "POST",
      path: "/api/v1/executions/cancel",
      ids: 0,
      body: "json",
      query: false,
      takesKey: true,
      answer: "json"
    },
    cancel: {
      method: "POST",
      path: "/api/v1/executions/{id}/cancel",
      ids: 1,
      body: null,
      query: false,
      takesKey: true,
      answer: "json"
    }
  },
  stats: {
    get: { method: "GET", path: "/api/v1/stats", ids: 0, body: null, query: true, takesKey: false, answer: "json" }
  },
  webhooks: {
    create: {
      method: "POST",
      path: "/api/v1/webhooks",
      ids: 0,
      body: "json",
      query: false,
      takesKey: true,
      answer: "json"
    },
    list: { method: "GET", path: "/api/v1/webhooks", ids: 0, body: null, query: true, takesKey: false, answer: "page" },
    get: {
      method: "GET",
      path: "/api/v1/webhooks/{id}",
      ids: 1,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    update: {
      method: "PATCH",
      path: "/api/v1/webhooks/{id}",
      ids: 1,
      body: "json",
      query: false,
      takesKey: false,
      answer: "json"
    },
    delete: {
      method: "DELETE",
      path: "/api/v1/webhooks/{id}",
      ids: 1,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    test: {
      method: "POST",
      path: "/api/v1/webhooks/{id}/test",
      ids: 1,
      body: "json",
      query: true,
      takesKey: true,
      answer: "json"
    },
    deliveries: {
      method: "GET",
      path: "/api/v1/webhooks/{id}/deliveries",
      ids: 1,
      body: null,
      query: true,
      takesKey: false,
      answer: "page"
    },
    delivery: {
      method: "GET",
      path: "/api/v1/webhooks/{id}/delivery",
      ids: 1,
      body: null,
      query: true,
      takesKey: false,
      answer: "json"
    },
    redeliver: {
      method: "POST",
      path: "/api/v1/webhooks/{id}/redeliver",
      ids: 1,
      body: "json",
      query: false,
      takesKey: true,
      answer: "json"
    },
    getRedelivery: {
      method: "GET",
      path: "/api/v1/webhooks/redeliveries/{id}",
      ids: 1,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    }
  },
  deadLetters: {
    list: {
      method: "GET",
      path: "/api/v1/dead-letters",
      ids: 0,
      body: null,
      query: true,
      takesKey: false,
      answer: "page"
    },
    get: {
      method: "GET",
      path: "/api/v1/dead-letters/{id}",
      ids: 1,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    replay: {
      method: "POST",
      path: "/api/v1/dead-letters/{id}/replay",
      ids: 1,
      body: null,
      query: false,
      takesKey: true,
      answer: "json"
    },
    replayMany: {
      method: "POST",
      path: "/api/v1/dead-letters/replay",
      ids: 0,
      body: "json",
      query: false,
      takesKey: true,
      answer: "json"
    },
    replays: {
      method: "GET",
      path: "/api/v1/dead-letters/replays",
      ids: 0,
      body: null,
      query: true,
      takesKey: false,
      answer: "page"
    },
    getReplay: {
      method: "GET",
      path: "/api/v1/dead-letters/replays/{id}",
      ids: 1,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    }
  },
  credentials: {
    list: {
      method: "GET",
      path: "/api/v1/credentials",
      ids: 0,
      body: null,
      query: false,
      takesKey: false,
      answer: "page"
    },
    setApns: {
      method: "PUT",
      path: "/api/v1/credentials/apns",
      ids: 0,
      body: "json",
      query: false,
      takesKey: false,
      answer: "json"
    },
    getApns: {
      method: "GET",
      path: "/api/v1/credentials/apns",
      ids: 0,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    deleteApns: {
      method: "DELETE",
      path: "/api/v1/credentials/apns",
      ids: 0,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    checkApns: {
      method: "POST",
      path: "/api/v1/credentials/apns/check",
      ids: 0,
      body: null,
      query: false,
      takesKey: true,
      answer: "json"
    },
    setFcm: {
      method: "PUT",
      path: "/api/v1/credentials/fcm",
      ids: 0,
      body: "json",
      query: false,
      takesKey: false,
      answer: "json"
    },
    getFcm: {
      method: "GET",
      path: "/api/v1/credentials/fcm",
      ids: 0,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    deleteFcm: {
      method: "DELETE",
      path: "/api/v1/credentials/fcm",
      ids: 0,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    checkFcm: {
      method: "POST",
      path: "/api/v1/credentials/fcm/check",
      ids: 0,
      body: null,
      query: false,
      takesKey: true,
      answer: "json"
    },
    setWebpush: {
      method: "PUT",
      path: "/api/v1/credentials/webpush",
      ids: 0,
      body: "json",
      query: false,
      takesKey: false,
      answer: "json"
    },
    getWebpush: {
      method: "GET",
      path: "/api/v1/credentials/webpush",
      ids: 0,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    deleteWebpush: {
      method: "DELETE",
      path: "/api/v1/credentials/webpush",
      ids: 0,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    checkWebpush: {
      method: "POST",
      path: "/api/v1/credentials/webpush/check",
      ids: 0,
      body: null,
      query: false,
      takesKey: true,
      answer: "json"
    },
    setSmtp: {
      method: "PUT",
      path: "/api/v1/credentials/smtp",
      ids: 0,
      body: "json",
      query: false,
      takesKey: false,
      answer: "json"
    },
    getSmtp: {
      method: "GET",
      path: "/api/v1/credentials/smtp",
      ids: 0,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    deleteSmtp: {
      method: "DELETE",
      path: "/api/v1/credentials/smtp",
      ids: 0,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    checkSmtp: {
      method: "POST",
      path: "/api/v1/credentials/smtp/check",
      ids: 0,
      body: null,
      query: false,
      takesKey: true,
      answer: "json"
    }
  },
  publicApps: {
    vapid: {
      method: "GET",
      path: "/api/v1/public/apps/{id}/vapid",
      ids: 1,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    }
  },
  application: {
    get: {
      method: "GET",
      path: "/api/v1/application",
      ids: 0,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    },
    update: {
      method: "PATCH",
      path: "/api/v1/application",
      ids: 0,
      body: "json",
      query: false,
      takesKey: false,
      answer: "json"
    },
    createIdentitySecret: {
      method: "POST",
      path: "/api/v1/application/identity-secret",
      ids: 0,
      body: "json",
      query: false,
      takesKey: true,
      answer: "json"
    }
  },
  apiKeys: {
    list: { method: "GET", path: "/api/v1/api-keys", ids: 0, body: null, query: true, takesKey: false, answer: "page" },
    create: {
      method: "POST",
      path: "/api/v1/api-keys",
      ids: 0,
      body: "json",
      query: false,
      takesKey: true,
      answer: "json"
    },
    delete: {
      method: "DELETE",
      path: "/api/v1/api-keys/{id}",
      ids: 1,
      body: null,
      query: false,
      takesKey: false,
      answer: "json"
    }
  },
  auditLog: {
    list: { method: "GET", path: "/api/v1/audit-log", ids: 0, body: null, query: true, takesKey: false, answer: "page" }
  }
}
