<?php

declare(strict_types=1);

namespace Heliograph;

/** An attempt took longer than `timeout`, or what was left of the deadline. */
final class TimeoutException extends HeliographException
{
}
