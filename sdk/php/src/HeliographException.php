<?php

declare(strict_types=1);

namespace Heliograph;

/** Everything that a call can fail with, but for a wrong argument (InvalidArgumentException). */
class HeliographException extends \RuntimeException
{
}
