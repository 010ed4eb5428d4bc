<?php

declare(strict_types=1);

namespace Heliograph;

/** There was no whole answer: no connection, or one that broke. */
final class ConnectionException extends HeliographException
{
}
