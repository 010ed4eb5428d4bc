<?php

declare(strict_types=1);

namespace Heliograph;

/** A webhook that is not genuine, or too old. */
final class WebhookVerificationException extends HeliographException
{
}
