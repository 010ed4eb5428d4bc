<?php

// Written by `npm run sdk:types` from the OpenAPI document. Do not edit.

declare(strict_types=1);

namespace Heliograph\Generated;

use Heliograph\Transport;

/** Every operation, by resource. */
abstract class Resources
{
    public readonly PublicDevices $publicDevices;
    public readonly Devices $devices;
    public readonly Events $events;
    public readonly Track $track;
    public readonly Channels $channels;
    public readonly Contacts $contacts;
    public readonly PublicInbox $publicInbox;
    public readonly Inbox $inbox;
    public readonly Notifications $notifications;
    public readonly Templates $templates;
    public readonly Segments $segments;
    public readonly Workflows $workflows;
    public readonly Executions $executions;
    public readonly Stats $stats;
    public readonly Webhooks $webhooks;
    public readonly DeadLetters $deadLetters;
    public readonly Credentials $credentials;
    public readonly PublicApps $publicApps;
    public readonly Application $application;
    public readonly ApiKeys $apiKeys;
    public readonly AuditLog $auditLog;

    public function __construct(Transport $transport)
    {
        $this->publicDevices = new PublicDevices($transport);
        $this->devices = new Devices($transport);
        $this->events = new Events($transport);
        $this->track = new Track($transport);
        $this->channels = new Channels($transport);
        $this->contacts = new Contacts($transport);
        $this->publicInbox = new PublicInbox($transport);
        $this->inbox = new Inbox($transport);
        $this->notifications = new Notifications($transport);
        $this->templates = new Templates($transport);
        $this->segments = new Segments($transport);
        $this->workflows = new Workflows($transport);
        $this->executions = new Executions($transport);
        $this->stats = new Stats($transport);
        $this->webhooks = new Webhooks($transport);
        $this->deadLetters = new DeadLetters($transport);
        $this->credentials = new Credentials($transport);
        $this->publicApps = new PublicApps($transport);
        $this->application = new Application($transport);
        $this->apiKeys = new ApiKeys($transport);
        $this->auditLog = new AuditLog($transport);
    }
}
