// Command deep does.
package main

import _ "oriel.dev/oriel/plugins/deep/inner"
