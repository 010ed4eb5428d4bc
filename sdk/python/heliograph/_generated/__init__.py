# Written by `npm run sdk:types` from the OpenAPI document. Do not edit.
